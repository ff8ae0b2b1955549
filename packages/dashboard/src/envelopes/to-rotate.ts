import { useRef } from "react";
import type { SweptForm } from "./sweep.ts";

/** The forms of a sweep whose newest key somebody has read who is no longer in the list. */
export function findExposedForms(
  results: readonly SweptForm[],
  isAbout: (personId: string) => boolean,
): readonly string[] {
  return results
    .filter((result) => "exposed" in result && result.exposed?.some(isAbout) === true)
    .map(({ formId }) => formId);
}

/** Whether nothing failed, and nothing is left to do. */
export function isInOrder(results: readonly SweptForm[]): boolean {
  return results.every(({ kind }) => kind !== "failed" && kind !== "stopped");
}

export interface Settling {
  /** `remember`: nothing is left to look at. At once, or where forms are to be rotated first, when the person closes the dialog. */
  settle(remember: () => Promise<void>, isToRotate: boolean): Promise<void>;
  close(): Promise<void>;
}

/** A browser that was closed before forms were rotated asks to look through them again; a person who closes the dialog has decided. */
export function useSettling(onClose: () => void): Settling {
  const later = useRef<() => Promise<void>>(undefined);
  return {
    async settle(remember, isToRotate) {
      later.current = isToRotate ? remember : undefined;
      if (!isToRotate) await remember();
    },
    async close() {
      await later.current?.();
      onClose();
    },
  };
}
