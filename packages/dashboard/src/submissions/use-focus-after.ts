import { useEffect, useRef } from "react";
import { isFocusFree } from "../ui/keep-focus.ts";
import type { BinMoves } from "./use-bin-moves.ts";

/** After a submission is closed, by whatever means, the focus continues at its row, or at `otherId` if that is gone. */
export function useFocusAfter(shownId: string | undefined, otherId: string | undefined): void {
  const last = useRef<readonly (string | undefined)[]>([]);
  useEffect(() => {
    if (shownId !== undefined) {
      // One that is being deleted has left the list already, and its neighbours are not known any more.
      last.current = [shownId, otherId ?? (last.current[0] === shownId ? last.current[1] : undefined)];
      return;
    }
    const buttons = last.current.map((id) => document.querySelector<HTMLElement>(`[data-submission="${id}"] button`));
    if (isFocusFree()) buttons.find((button) => button !== null)?.focus();
    last.current = [];
  }, [shownId, otherId]);
}

/**
 * The button that deleted several is gone with the selection, and Undo with its message: then the focus continues at what
 * was put back, or at the first row.
 */
export function useFocusAfterMove(last: BinMoves["last"]): void {
  const before = useRef(last);
  useEffect(() => {
    if (before.current === last) return;
    const restoredId = last === undefined ? before.current?.ids[0] : undefined;
    before.current = last;
    if (!isFocusFree()) return;
    const row =
      document.querySelector<HTMLElement>(`[data-submission="${restoredId}"] button`) ??
      document.querySelector<HTMLElement>("[data-submission] button");
    row?.focus({ preventScroll: true });
  }, [last]);
}
