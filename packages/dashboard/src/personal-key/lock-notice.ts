import { useSyncExternalStore } from "react";

// Read by the frame of every page, which is there long before the first one that loads the personal key.

/** Something about the open key that a person has to hear wherever they are. */
export type LockNotice =
  /** It locks by itself within a minute. */
  | "soon"
  /** It was open on this page, and has locked. */
  | "locked";

let notice: LockNotice | undefined;
const listeners = new Set<() => void>();

export function noteLock(next: LockNotice | undefined): void {
  if (next === notice) return;
  notice = next;
  for (const listener of listeners) listener();
}

export function useLockNotice(): LockNotice | undefined {
  return useSyncExternalStore(subscribe, () => notice);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
