import type { OpeningKey } from "@sealpost/sdk";
import { mergeKeys } from "@sealpost/vault";
import { useEffect, useSyncExternalStore } from "react";
import { findPagePerson } from "../session/page-person.ts";
import { createKeyChannel } from "./key-channel.ts";
import { findRememberedKeys, forgetRememberedKeys, rememberKey } from "./remembered-keys.ts";

/**
 * The keys that are open on this page, by form. In memory only, as CryptoKeys that can't be exported; gone with the page, and with the session of
 * its person. Their other tabs in this browser follow: what is unlocked or locked in one is so in all.
 */
let held: ReadonlyMap<string, readonly OpeningKey[]> = new Map();
/** Marks keys that an envelope gave: they close with the personal key, in every tab. */
const fromEnvelope = { isFromEnvelope: true } as const;
const isOfEnvelope = (key: OpeningKey) => "isFromEnvelope" in key;
/** Forms that somebody has locked by hand, in this tab or another: nothing opens them again without being asked. */
const lockedByHand = new Set<string>();
/** Forms that this page has shown, whose keys were looked for: remembered ones, and those of other tabs. */
const wanted = new Set<string>();
const listeners = new Set<() => void>();
/** Counts locks, so that keys that were being looked for meanwhile come to nothing. */
let locks = 0;
const none: readonly OpeningKey[] = [];

const channel = createKeyChannel({
  findPerson: findPagePerson,
  isWanted: (formId) => wanted.has(formId),
  findKeys: (formId) => held.get(formId) ?? none,
  onKeys: hold,
  onLocked: drop,
});

function change(next: ReadonlyMap<string, readonly OpeningKey[]>): void {
  held = next;
  for (const listener of listeners) listener();
}

function hold(formId: string, keys: readonly OpeningKey[]): void {
  const before = held.get(formId) ?? none;
  const after = mergeKeys(before, keys);
  if (after === before) return;
  change(new Map(held).set(formId, after));
  if (keys.some(isOfEnvelope)) void closeWithPersonalKey();
}

let watching: Promise<typeof import("../personal-key/personal-key.ts")> | undefined;

/** Every page that has keys of envelopes closes them with the personal key, whatever else it has loaded: also those that came too late. */
async function closeWithPersonalKey(): Promise<void> {
  watching ??= import("../personal-key/personal-key.ts").then((personalKey) => {
    personalKey.onPersonalKeyLocked(dropEnvelopeKeys);
    return personalKey;
  });
  try {
    if ((await watching).isPersonalKeyLocked()) dropEnvelopeKeys();
  } catch {
    watching = undefined;
    dropEnvelopeKeys(); // nothing here would hear of the lock
  }
}

function drop(formId: string | undefined): void {
  locks += 1;
  const next = new Map(held);
  if (formId === undefined) {
    next.clear();
    lockedByHand.clear();
    wanted.clear();
  } else {
    next.delete(formId);
    lockedByHand.add(formId);
  }
  change(next);
}

/** Closes what envelopes opened, in this tab: each tab hears for itself that the personal key was locked. */
function dropEnvelopeKeys(): void {
  const isOwn = (key: OpeningKey) => !isOfEnvelope(key);
  const next = [...held].map(([formId, keys]) => [formId, keys.every(isOwn) ? keys : keys.filter(isOwn)] as const);
  change(new Map(next));
}

/** Whether the form was locked by hand since it was last opened. */
export function isLockedByHand(formId: string): boolean {
  return lockedByHand.has(formId);
}

/** The key, both halves of it, as that of a form's version: what its file says of itself may be missing or wrong. */
export function labelKey(
  { cryptoKey, fingerprint, hybrid }: OpeningKey,
  formId: string,
  keyVersion: number,
): OpeningKey {
  const label = { formId, keyVersion };
  return { cryptoKey, fingerprint, ...label, ...(hybrid && { hybrid: { ...hybrid, ...label } }) };
}

export function addKeys(formId: string, keys: readonly OpeningKey[]): void {
  lockedByHand.delete(formId);
  hold(formId, keys);
  channel.tellUnlocked(formId);
}

interface Unsure {
  /** They were opened by a list for reading. */
  readonly isForReading?: boolean;
  /** Versions that are not published for this browser, whatever the server lists. */
  readonly unproved?: readonly number[] | undefined;
}

/** The same for keys that an envelope gave, until the personal key is locked. */
export function addEnvelopeKeys(
  formId: string,
  keys: readonly OpeningKey[],
  { isForReading = false, unproved = [] }: Unsure = {},
): void {
  const isUnsure = ({ keyVersion = 0 }: OpeningKey) => isForReading || unproved.includes(keyVersion);
  addKeys(
    formId,
    keys.map((key) => ({ ...key, ...fromEnvelope, ...(isUnsure(key) && { isForReading: true }) })),
  );
}

/** Opens the keys here, and keeps them in this browser until their person locks the form or signs out, or another person signs in. They have to be sealed (`isSealedKey`). */
export async function addAndRememberKeys(formId: string, keys: readonly OpeningKey[]): Promise<void> {
  const person = findPagePerson();
  if (person === undefined) throw new Error("Nobody is signed in here");
  for (const key of keys) await rememberKey(person, formId, key);
  addKeys(formId, keys);
}

/** Forgets the form's keys in every tab, remembered ones too: at once, whatever becomes of this page. */
export async function lockForm(formId: string): Promise<void> {
  drop(formId);
  channel.tellLocked(formId);
  await forgetRememberedKeys(formId).catch(keptNothing);
}

/** Forgets every key of this browser, in every tab. Resolves to `false` if the browser did not confirm that the remembered ones are deleted. */
export async function forgetAllKeys(): Promise<boolean> {
  drop(undefined);
  channel.tellLocked();
  return forgetRememberedKeys().then(
    () => true,
    () => false,
  );
}

/** A browser whose storage is out of reach (a private window, say) remembered no keys: signing out must not fail by it. */
function keptNothing(): void {}

/** The open keys of a form; looks once for those that this browser remembers or that another tab has open. */
export function useKeys(formId: string): readonly OpeningKey[] {
  useEffect(() => {
    const person = findPagePerson();
    if (person === undefined || wanted.has(formId)) return;
    wanted.add(formId);
    channel.ask(formId);
    const locksBefore = locks;
    findRememberedKeys(person, formId).then(
      (keys) => {
        if (locks === locksBefore) hold(formId, keys);
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
