import type { LeftOutHeads } from "@sealpost/envelope";
import { useSyncExternalStore } from "react";

// Notice about a key that has just come from another device: every page shows it, until it is loaded again.

export interface HandedOver {
  /** The digits that the other device shows too, where its camera has read this one's code: anyone else who has read it shows others. */
  readonly code: string | undefined;
  /** Counts of what the other device has seen and this one has not; `undefined` where all went along. */
  readonly leftOut: LeftOutHeads | undefined;
}

let handedOver: HandedOver | undefined;
const listeners = new Set<() => void>();

export function noteHandedOver(code: string | undefined, leftOut: LeftOutHeads): void {
  const isWhole = Object.values(leftOut).every((count) => count === 0);
  handedOver = code === undefined && isWhole ? undefined : { code, leftOut: isWhole ? undefined : leftOut };
  for (const listener of listeners) listener();
}

export function useHandedOver(): HandedOver | undefined {
  return useSyncExternalStore(subscribe, () => handedOver);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
