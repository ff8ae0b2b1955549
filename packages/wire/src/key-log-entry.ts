import { isId } from "./ids.ts";
import { type Extended, isTime, parseExtended, type Unchecked } from "./signed-line.ts";

/** The format of key logs (SPECIFICATION.md, section 20). */
export const keyLogFormat = "sealpost-key-log/1";

export const keyLogLineBytesMax = 4096;
/** Owners and managers together. */
export const keyLogSignersMax = 32;
/** Entries of managers, and the owner's before them. */
export const keyLogPlaceMax = 1024;
/** As far ahead as an owner's entry may name a version. A service that makes versions up uses up no more by an entry, since they never fall. */
export const keyLogStepMax = 32;
/** Numbers of entries, and versions. */
export const keyLogNumberMax = 2_147_483_647;

/** The key of a version, by its fingerprints and its reply key. */
export interface LoggedKey {
  readonly version: number;
  readonly fingerprint: string;
  /** `null` where the version has no hybrid key. */
  readonly hybridFingerprint: string | null;
  /** By which the version's readers sign replies; `null` where it has no seed. */
  readonly replyKey: string | null;
}

/** The keys that may sign the next entry: ascending, each once, at most 32 together. */
export interface KeyLogSigners {
  /** At least one. They say who signs. */
  readonly owners: readonly string[];
  /** They make the next version, or leave. */
  readonly managers: readonly string[];
}

/** The content of an entry, its members in the order in which they are written. */
export interface KeyLogEntry extends KeyLogSigners, Extended {
  readonly format: typeof keyLogFormat;
  readonly formId: string;
  /** From 1. */
  readonly number: number;
  /** How many entries of managers follow an owner's entry, which has 1, as the first entry has. */
  readonly place: number;
  /** The hash of the entry before; `null` in the first. */
  readonly previous: string | null;
  /** The writer's clock; trusted in nothing. */
  readonly writtenAt: string;
  /** The key that signs: an owner or manager of the entry before; of the first, one of its own. */
  readonly signedBy: string;
  readonly key: LoggedKey;
}

/** The table of section 20. Who signs was looked at before: one whom the entry before names, or of the first entry its own. */
export function mayFollow(entry: KeyLogEntry, before: KeyLogEntry | undefined): boolean {
  const { place, key, signedBy, critical } = entry;
  const isOwners = (before ?? entry).owners.includes(signedBy);
  if (!isOwners && critical.length > 0) return false;
  if (before === undefined) return place === 1;
  const isSameKey = isSame(key, before.key);
  const steps = key.version - before.key.version;
  const isNextKey = steps === 1 && keepsKinds(key, before.key);
  // Who leaves the owners may be one in the log alone, and a manager by now.
  const mayStep = entry.owners.includes(signedBy) ? steps >= 1 && steps <= keyLogStepMax : isNextKey;
  if (isOwners) return place === 1 && (isSameKey || mayStep);
  const others = before.managers.filter((manager) => manager !== signedBy);
  const leaves = isSame(entry.managers, others);
  return (
    place === before.place + 1 &&
    isSame(entry.owners, before.owners) &&
    (leaves || isSame(entry.managers, before.managers)) &&
    (isSameKey ? leaves : isNextKey)
  );
}

/** Nobody but an owner takes from a form what the version before had. */
function keepsKinds(after: LoggedKey, before: LoggedKey): boolean {
  return (
    (after.hybridFingerprint !== null || before.hybridFingerprint === null) &&
    (after.replyKey !== null || before.replyKey === null)
  );
}

/** Both were parsed, so there is one way to write each. */
function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

/** The content of an entry; `undefined` for any other value. */
export function parseKeyLogEntry(value: Unchecked): KeyLogEntry | undefined {
  const key = parseKey(value.key);
  const owners: unknown = value.owners;
  const managers: unknown = value.managers;
  const extended = parseExtended(value);
  const isRight =
    value.format === keyLogFormat &&
    isId("form", value.formId) &&
    isCount(value.number, keyLogNumberMax) &&
    isCount(value.place, keyLogPlaceMax) &&
    (value.number === 1 ? value.previous === null : is32Bytes(value.previous)) &&
    isTime(value.writtenAt) &&
    is32Bytes(value.signedBy) &&
    areKeys(owners) &&
    areKeys(managers) &&
    owners.length > 0 &&
    owners.length + managers.length <= keyLogSignersMax &&
    !owners.some((owner) => managers.includes(owner)) &&
    key &&
    extended;
  if (!isRight) return undefined;
  const { format, formId, number, place, previous, writtenAt, signedBy } = value as unknown as KeyLogEntry; // each member was checked
  return { format, formId, number, place, previous, writtenAt, signedBy, key, owners, managers, ...extended };
}

function parseKey(value: unknown): LoggedKey | undefined {
  const key = Object(value) as Unchecked; // each member is checked below
  const isRight =
    isCount(key.version, keyLogNumberMax) &&
    is32Bytes(key.fingerprint) &&
    (key.hybridFingerprint === null || is32Bytes(key.hybridFingerprint)) &&
    (key.replyKey === null || is32Bytes(key.replyKey));
  return isRight ? copyKey(key as unknown as LoggedKey) : undefined;
}

export function copyKey({ version, fingerprint, hybridFingerprint, replyKey }: LoggedKey): LoggedKey {
  return { version, fingerprint, hybridFingerprint, replyKey };
}

function isCount(value: unknown, max: number): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1 && Number(value) <= max;
}

/** Keys in their order, each once. */
function areKeys(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((key, index) => is32Bytes(key) && (index === 0 || value[index - 1] < key));
}

/** Base64url of 32 bytes: a hash, a fingerprint or a signing key. */
function is32Bytes(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(value);
}
