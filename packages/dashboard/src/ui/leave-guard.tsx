import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { mayHaveArrived } from "../api/describe-error.ts";
import { holdPage, isFirstToHold } from "../browser/held.ts";
import { text } from "../texts/text.ts";
import { Button } from "./button.tsx";
import { Dialog, DialogGuards } from "./dialog.tsx";

export interface LeaveTexts {
  readonly title: string;
  /** Says what would be lost. */
  readonly hint: string;
  /** The button that leaves after all. */
  readonly leave: string;
}

/** The change that takes along what would be lost, and the question from when it is sent, as long as it may have been done. */
export interface Sending {
  readonly change: { readonly isPending: boolean; readonly error: Error | null };
  /** Its subject, where one after the other is made here. */
  readonly of?: unknown;
  readonly texts: LeaveTexts;
}

interface LeaveGuard {
  /** The question, while it is asked; belongs into the page. */
  readonly question: ReactNode;
  /** Does it, after the question where something would be lost. */
  readonly ask: (leave: () => void) => void;
  /** The change is on its way, or its answer was lost: nobody can go back to before it. */
  readonly isMaybeDone: boolean;
}

/**
 * Asks before something is lost: on the way to another page, at a reload, and before the dialog around it closes. While
 * `holds` says so, not even the end of the session leads away from the page. `onLeave` is called when somebody leaves after all. `sending`: the
 * change that may be on its way, or that there is `"none"`.
 */
export function useLeaveGuard(
  holds: () => boolean,
  texts: LeaveTexts,
  sending: Sending | "none",
  onLeave?: () => void,
): LeaveGuard {
  const sent = sending === "none" ? undefined : sending;
  const isMaybeDone = useMaybeDone(sent);
  const said = isMaybeDone ? (sent?.texts ?? texts) : texts;
  const latest = useRef(holds);
  latest.current = holds;
  const [holdsNow] = useState(() => () => latest.current());
  const [waiting, setWaiting] = useState<() => void>();
  const guards = useContext(DialogGuards);
  const ask = (leave: () => void) => (holds() ? setWaiting(() => leave) : leave());
  useEffect(() => holdPage(holdsNow), [holdsNow]);
  useEffect(() => {
    const guard = (close: () => void) => {
      if (holdsNow()) setWaiting(() => close);
      return holdsNow();
    };
    guards?.add(guard);
    return () => void guards?.delete(guard);
  }, [guards, holdsNow]);
  const blocker = useBlocker({
    shouldBlockFn: () => isFirstToHold(holdsNow),
    enableBeforeUnload: () => isFirstToHold(holdsNow),
    withResolver: true,
  });
  const stay = () => {
    setWaiting(undefined);
    blocker.reset?.();
  };
  const leave = () => {
    setWaiting(undefined);
    onLeave?.();
    waiting?.();
    blocker.proceed?.();
  };
  const isAsking = waiting !== undefined || blocker.status === "blocked";
  const question = isAsking && (
    <Dialog
      footer={
        <>
          <Button onClick={stay}>{text.common.stay}</Button>
          <Button look="danger" onClick={leave}>
            {said.leave}
          </Button>
        </>
      }
      onClose={stay}
      title={said.title}
    >
      <p>{said.hint}</p>
    </Dialog>
  );
  return { question, ask, isMaybeDone };
}

/** After a lost answer, a refusal of the next try does not say whether the first one was done. */
function useMaybeDone(sending: Sending | undefined): boolean {
  const [unsure, setUnsure] = useState<{ readonly of: unknown }>();
  const { change, of } = sending ?? {};
  const isUnsure = mayHaveArrived(change?.error);
  const isKnown = unsure !== undefined && unsure.of === of;
  if (isUnsure && !isKnown) setUnsure({ of });
  return isUnsure || isKnown || change?.isPending === true;
}
