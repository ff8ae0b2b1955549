import { type ReactNode, useCallback, useRef } from "react";
import { useLeaveGuard } from "./leave-guard.tsx";
import { MarkKept } from "./mark-kept.ts";

/**
 * Around a secret that is shown this once: while it was neither copied nor saved here, the dialog around it closes only after a
 * question, whether by Escape, its cross or the way back. A button that confirms that it was kept closes the dialog itself.
 */
export function ShownOnce({
  leave,
  children,
}: {
  readonly leave: { readonly title: string; readonly hint: string; readonly leave: string };
  readonly children?: ReactNode;
}) {
  const isKept = useRef(false);
  const markKept = useCallback(() => {
    isKept.current = true;
  }, []);
  const { question } = useLeaveGuard(() => !isKept.current, leave, "none");
  return (
    <MarkKept value={markKept}>
      {children}
      {question}
    </MarkKept>
  );
}
