import type { OpeningKey } from "@sealpost/receiver";
import { useEffect, useSyncExternalStore } from "react";
import { findRememberedKeys, forgetRememberedKeys, rememberKey } from "./remembered-keys.ts";

/** The keys that are open on this page, by form. In memory only, as CryptoKeys that can't be exported; gone with the page. */
let held: ReadonlyMap<string, readonly OpeningKey[]> = new Map();
/** Forms whose remembered keys were looked for. */
const asked = new Set<string>();
const listeners = new Set<() => void>();
const none: readonly OpeningKey[] = [];

function change(next: ReadonlyMap<string, readonly OpeningKey[]>): void {
  held = next;
  for (const listener of listeners) listener();
}

export function addKey(formId: string, key: OpeningKey): void {
  const others = (held.get(formId) ?? none).filter(({ fingerprint }) => fingerprint !== key.fingerprint);
  change(new Map(held).set(formId, [...others, key]));
}

/** Opens the key here, and keeps it in this browser until somebody signs out or locks the form. */
export async function addAndRememberKey(formId: string, key: OpeningKey): Promise<void> {
  await rememberKey(formId, key);
  addKey(formId, key);
}

/** Forgets the form's keys, remembered ones too. */
export async function lockForm(formId: string): Promise<void> {
  const next = new Map(held);
  next.delete(formId);
  change(next);
  await forgetRememberedKeys(formId);
}

export async function forgetAllKeys(): Promise<void> {
  change(new Map());
  asked.clear();
  await forgetRememberedKeys();
}

/** The open keys of a form; looks once for those that this browser remembers. */
export function useKeys(formId: string): readonly OpeningKey[] {
  useEffect(() => {
    if (asked.has(formId)) return;
    asked.add(formId);
    findRememberedKeys(formId).then(
      (keys) => {
        for (const key of keys) addKey(formId, key);
      },
      () => undefined, // a browser that keeps nothing (a private window, say) remembers no keys
    );
  }, [formId]);
  return useSyncExternalStore(subscribe, () => held.get(formId) ?? none);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
