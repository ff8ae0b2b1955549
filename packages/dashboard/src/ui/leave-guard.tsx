import { useBlocker } from "@tanstack/react-router";
import { type ReactNode, useContext, useEffect, useRef, useState } from "react";
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

interface LeaveGuard {
  /** The question, while it is asked; belongs into the page. */
  readonly question: ReactNode;
  /** Does it, after the question where something would be lost. */
  readonly ask: (leave: () => void) => void;
}

/**
 * Asks before something is lost: on the way to another page, at a reload, and before the dialog around it closes. While
 * `holds` says so, not even the end of the session leads away from the page. `onLeave` is called when somebody leaves after all.
 */
export function useLeaveGuard(holds: () => boolean, texts: LeaveTexts, onLeave?: () => void): LeaveGuard {
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
            {texts.leave}
          </Button>
        </>
      }
      onClose={stay}
      title={texts.title}
    >
      <p>{texts.hint}</p>
    </Dialog>
  );
  return { question, ask };
}
