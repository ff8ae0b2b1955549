import { useSyncExternalStore } from "react";

// A server that was restored from a backup got the end of the list of members back from this browser: every page says so, until it is loaded again.

let count = 0;
const listeners = new Set<() => void>();

/** So many entries that the server had lost are there again. */
export function noteGivenBack(entries: number): void {
  count += entries;
  for (const listener of listeners) listener();
}

export function useGivenBack(): number {
  return useSyncExternalStore(subscribe, () => count);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
