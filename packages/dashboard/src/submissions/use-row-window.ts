import { useVirtualizer, type Virtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type RefObject, useEffect, useLayoutEffect, useRef, useState } from "react";
import type { Row } from "./row.ts";

/** In the size of letters that the reader has chosen, by which everything in a row grows. */
const rowHeightRem = 2.75;
const narrowRowHeightRem = 4;

const pageRows = 10;

function findRemPixels(): number {
  return Number.parseFloat(getComputedStyle(document.documentElement).fontSize);
}

/** The row to which a key leads from another, if it leads anywhere. */
function targetOf(key: string, index: number, count: number): number | undefined {
  const targets: Readonly<Record<string, number>> = {
    ArrowDown: index + 1,
    ArrowUp: index - 1,
    PageDown: Math.min(index + pageRows, count - 1),
    PageUp: Math.max(index - pageRows, 0),
    Home: 0,
    End: count - 1,
  };
  const target = targets[key];
  return target === undefined || target < 0 || target >= count ? undefined : target;
}

interface RowWindow {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly virtual: Virtualizer<HTMLDivElement, Element>;
  readonly height: number;
  /** Takes the keys that move between rows. */
  readonly move: (event: KeyboardEvent) => void;
  readonly tabIndexOf: (index: number) => 0 | -1;
  readonly setFocusedIndex: (index: number) => void;
}

/** The rows in view of a list of any length, and the way between them by keyboard. */
export function useRowWindow(
  rows: readonly Row[],
  shownId: string | undefined,
  isNarrow: boolean,
  onWant: (ids: readonly string[]) => void,
): RowWindow {
  const scroller = useRef<HTMLDivElement>(null);
  const height = Math.round((isNarrow ? narrowRowHeightRem : rowHeightRem) * findRemPixels());
  // All rows are as high, so none is known by more than its place: with keys of their own, 100,000 of them are made again
  // at every step of scrolling.
  const virtual = useVirtualizer<HTMLDivElement, Element>({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 8,
  });
  // It keeps the first height that it was given, although a turned phone shows other rows.
  // biome-ignore lint/correctness/useExhaustiveDependencies: measured again whenever the height changes
  useLayoutEffect(() => virtual.measure(), [height]);
  const items = virtual.getVirtualItems();
  const inView = items.map(({ index }) => rows[index]?.id ?? "").join(" ");
  useEffect(() => onWant(inView.split(" ")), [inView, onWant]);

  // A submission that was opened by its address, or by the steps to the next, is seen in the list as well.
  // biome-ignore lint/correctness/useExhaustiveDependencies: not when rows come, which would scroll under the reader's hands
  useEffect(() => {
    const index = rows.findIndex(({ id }) => id === shownId);
    if (index >= 0) virtual.scrollToIndex(index);
  }, [shownId]);

  // One row is in the order of Tab, so that a list of any length is passed in a step: the last focused one, or the first in view.
  const [focusedIndex, setFocusedIndex] = useState(0);
  const firstInView = items.find(({ end }) => end > (virtual.scrollOffset ?? 0))?.index;
  const tabIndexOf = (index: number) =>
    index === (items.some((item) => item.index === focusedIndex) ? focusedIndex : firstInView) ? 0 : -1;

  function move(event: KeyboardEvent): void {
    const row = (event.target as HTMLElement).closest<HTMLElement>("[data-index]"); // keys go to elements
    if (row === null || event.altKey || event.ctrlKey || event.metaKey) return;
    const index = targetOf(event.key, Number(row.dataset.index), rows.length);
    if (index === undefined) return;
    event.preventDefault();
    virtual.scrollToIndex(index);
    const focus = () => {
      const button = scroller.current?.querySelector<HTMLElement>(`[data-index="${index}"] button`);
      button?.focus();
      return button != null;
    };
    // The row may only come to exist by scrolling there.
    if (!focus()) requestAnimationFrame(() => focus() || requestAnimationFrame(focus));
  }
  return { scroller, virtual, height, move, tabIndexOf, setFocusedIndex };
}
