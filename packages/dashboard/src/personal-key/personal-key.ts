import type { PublicHalves } from "@sealpost/envelope";
import {
  type AskPasskey,
  createKeyTab,
  KeyLockedError,
  type KeyWorker,
  readAnswer,
  type TabState,
} from "@sealpost/vault";
import { useSyncExternalStore } from "react";
import { findLockMinutes, keepLockMinutes, type LockMinutes } from "./lock-minutes.ts";
import { noteLock } from "./lock-notice.ts";
import type { OperationName, Operations } from "./operations.ts";

/** The personal key of the person who is signed in, as this tab sees it. */
const tab = createKeyTab({ findMinutes: findLockMinutes });

/** Each in any tab keeps the key open: who reads moves the pointer or turns the wheel, and types nothing. */
const uses = ["pointerdown", "pointermove", "wheel", "keydown"] as const;
/** Another tab hears of it this often at most. */
const useMilliseconds = 5_000;
let usedAt = Number.NEGATIVE_INFINITY;

function use(): void {
  // Not by the computer's clock, which may be set back: then no use would be said.
  const now = performance.now();
  if (now - usedAt < useMilliseconds) return;
  usedAt = now;
  tab.use();
}

for (const name of uses) window.addEventListener(name, use, { capture: true, passive: true });

let wasOpen = false;
tab.subscribe(() => {
  const { kind } = tab.state;
  wasOpen ||= kind === "open";
  if (kind === "open") noteLock(tab.locksSoon ? "soon" : undefined);
  else if (wasOpen) noteLock("locked");
});

/**
 * Has the open personal key do something, wherever it is open: in this tab's worker or another's. Rejects with a `RefusalError`
 * where the operation refuses, and with a `KeyLockedError` where the key is locked, or gets locked meanwhile.
 * `askPasskey` is for operations on a copy that a passkey opens.
 */
export async function askPersonalKey<Name extends OperationName>(
  name: Name,
  request: Operations[Name]["request"],
  askPasskey?: AskPasskey,
): Promise<Operations[Name]["answer"]> {
  // The value is the answer of this very operation.
  return readAnswer(await tab.ask({ act: "operate", name, request }, askPasskey)) as Operations[Name]["answer"];
}

/** The public halves of the open key. Throws a `KeyLockedError`. */
export function openHalves(): PublicHalves {
  const halves = findOpenHalves();
  if (halves === undefined) throw new KeyLockedError();
  return halves;
}

/** The same; `undefined` while it is not open. */
export function findOpenHalves(): PublicHalves | undefined {
  return tab.state.kind === "open" ? tab.state.halves : undefined;
}

/** Holds the key open, in every tab. */
export function holdPersonalKey(worker: KeyWorker, halves: PublicHalves): Promise<void> {
  return tab.hold(worker, halves);
}

/** Locks the key in every tab; there is nothing to wait for. */
export function lockPersonalKey(): void {
  tab.lock();
}

/** Begins the time again after which the key locks by itself. */
export function holdOpen(): void {
  tab.use();
}

export function setLockMinutes(minutes: LockMinutes): void {
  keepLockMinutes(minutes);
  tab.use();
}

/** Calls back each time that the key was locked, here or in another tab, by hand or by itself; also where it is found to be. */
export function onPersonalKeyLocked(listener: () => void): () => void {
  return tab.subscribe(() => {
    if (isPersonalKeyLocked()) listener();
  });
}

/** Not before it is known whether another tab has it open. */
export function isPersonalKeyLocked(): boolean {
  return tab.state.kind === "locked";
}

export function useKeyTab(): TabState {
  return useSyncExternalStore(tab.subscribe, () => tab.state);
}
