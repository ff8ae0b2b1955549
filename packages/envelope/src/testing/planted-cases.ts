import type { LoggedKey } from "@sealpost/wire";
import type { EnvelopeHead, PublishedKey, SeenKey } from "../envelope-checks.ts";
import type {
  CountingLog,
  findAhead,
  findDenied,
  findOtherThanLogged,
  lacksNamed,
  settlePublished,
  withoutOtherHybrids,
} from "../planted-keys.ts";
import { formId } from "./envelope-maker.ts";
import { organizationId } from "./people.ts";

// Which keys of an envelope are published for a device, by what it has seen, by the service's list, and by the form's key log; and which of them the next
// revision leaves out.

export interface Settling {
  readonly findAhead: typeof findAhead;
  readonly settlePublished: typeof settlePublished;
  readonly lacksNamed: typeof lacksNamed;
  readonly findOtherThanLogged: typeof findOtherThanLogged;
  readonly findDenied: typeof findDenied;
  readonly withoutOtherHybrids: typeof withoutOtherHybrids;
}

export interface PlantedCase {
  readonly name: string;
  /** Versions that the revision has, `2 hybrid` with a hybrid key, `2 planted` with another one, `2 reseeded` with another seed. */
  readonly has: readonly string[];
  /** Versions that the device has seen in the envelope: `2 published`, `2 published unproven`, `3 ahead`, `4`; `5 published unseeded` without a seed. Absent: it has not seen the envelope. */
  readonly seen?: readonly string[];
  /** It has seen the revision before, and not this one. */
  readonly isNext?: true;
  /** Versions that the service lists, `2 other` with another key; absent where it may not be asked. */
  readonly listed?: readonly string[];
  /** Those that it listed when the revision was opened, if others. */
  readonly first?: readonly string[];
  /** Versions that the form's key log has, of which the last is the newest, `2 unseeded` without a reply key; `unshown` where the service does not show it. */
  readonly log?: readonly string[] | "unshown";
  /** Somebody signed the revision who may write no longer, or the person here. */
  readonly by?: "former" | "own";
  /** Versions that older revisions have of people who still write. */
  readonly older?: readonly string[];
  /** Versions whose entries in the log are signed by somebody who is an owner now. */
  readonly owned?: readonly string[];
  readonly outcome: {
    readonly published: readonly number[];
    /** Versions that the next revision leaves out. */
    readonly ahead: readonly number[];
    /** Versions that are remembered as ahead of their time. */
    readonly remembered?: readonly number[];
    /** Published versions that nobody who may write has vouched for. */
    readonly unproven?: readonly number[];
    /** Versions whose hybrid key is remembered. */
    readonly hybrid?: readonly number[];
    /** Versions whose seed is not remembered. */
    readonly unseeded?: readonly number[];
    /** Versions that are named to the person: the log has another hybrid key or seed. */
    readonly denied?: readonly number[];
  };
}

export const plantedCases: readonly PlantedCase[] = [
  { name: "every key is listed", has: ["1", "2"], listed: ["1", "2"], outcome: { published: [1, 2], ahead: [] } },
  {
    name: "keys above those that are listed",
    has: ["1", "2", "32"],
    listed: ["1"],
    outcome: { published: [1], ahead: [2, 32], remembered: [2, 32] },
  },
  {
    name: "a key that the service denies, below one that it lists",
    has: ["1", "2"],
    listed: ["2"],
    outcome: { published: [2], ahead: [] },
  },
  {
    name: "keys that were seen as published, and that the service denies",
    has: ["1", "2", "3"],
    seen: ["1 published", "2 published"],
    listed: ["1"],
    outcome: { published: [1, 2], ahead: [3], remembered: [3] },
  },
  { name: "the list may not be read", has: ["1", "2"], outcome: { published: [], ahead: [] } },
  { name: "the list is empty, which no form's is", has: ["1", "2"], listed: [], outcome: { published: [], ahead: [] } },
  {
    name: "nothing of an envelope is listed",
    has: ["33", "34"],
    listed: ["1"],
    outcome: { published: [], ahead: [33, 34], remembered: [33, 34] },
  },
  {
    name: "another key of the version is listed",
    has: ["1", "2"],
    listed: ["1", "2 other"],
    outcome: { published: [1], ahead: [2], remembered: [2] },
  },
  {
    name: "a key that was seen ahead of its time is listed by now",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    listed: ["1", "2"],
    outcome: { published: [1], ahead: [], remembered: [2] },
  },
  {
    name: "a key that was seen ahead of its time, where the list may not be read",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    outcome: { published: [1], ahead: [], remembered: [2] },
  },
  {
    name: "a key that was seen ahead of its time is in the next revision, and listed",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    isNext: true,
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a key that was seen ahead of its time is in the next revision, by the person here",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    isNext: true,
    by: "own",
    listed: ["1", "2"],
    outcome: { published: [1], ahead: [], remembered: [2] },
  },
  {
    name: "a key that was seen ahead of its time is in the next revision, by somebody who writes no longer",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    isNext: true,
    by: "former",
    listed: ["1", "2"],
    outcome: { published: [1], ahead: [], remembered: [2] },
  },
  {
    name: "a key that was seen ahead of its time, and an owner has signed for",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    listed: ["1", "2"],
    ...{ log: ["1", "2"], owned: ["2"] },
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a key that was seen ahead of its time, and nobody has signed for who is an owner now",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    listed: ["1", "2"],
    ...{ log: ["1", "2"], owned: ["1"] },
    outcome: { published: [1], ahead: [], remembered: [2] },
  },
  {
    name: "a key that was seen ahead of its time, and an owner has signed for another of its version",
    has: ["1", "2"],
    seen: ["1 published", "2 ahead"],
    listed: ["1", "2"],
    ...{ log: ["1", "2", "2 other"], owned: ["2 other"] },
    outcome: { published: [1], ahead: [], remembered: [2] },
  },
  {
    name: "an unproven key is in the next revision",
    has: ["1", "2"],
    seen: ["1 published", "2 published unproven"],
    isNext: true,
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "an unproven key is in the next revision of somebody who writes no longer",
    has: ["1", "2"],
    seen: ["1 published", "2 published unproven"],
    ...{ isNext: true, by: "former" },
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], unproven: [2] },
  },
  {
    name: "an unproven key is in the next revision of the person here",
    has: ["1", "2"],
    seen: ["1 published", "2 published unproven"],
    ...{ isNext: true, by: "own" },
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], unproven: [2] },
  },
  {
    name: "an unproven key in the revision that was seen, and the service denies it",
    has: ["1", "2"],
    seen: ["1 published", "2 published unproven"],
    listed: ["1"],
    outcome: { published: [1, 2], ahead: [], unproven: [2] },
  },
  {
    name: "an unproven key in the revision that was seen, and an owner has signed for it",
    has: ["1", "2"],
    seen: ["1 published", "2 published unproven"],
    listed: ["1", "2"],
    ...{ log: ["1", "2"], owned: ["2"] },
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a first sight by somebody who writes no longer",
    has: ["1", "2"],
    by: "former",
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], unproven: [1, 2] },
  },
  {
    name: "a first sight by somebody who writes no longer, where others have had a key",
    has: ["1", "2"],
    by: "former",
    older: ["1"],
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], unproven: [2] },
  },
  {
    name: "a first sight by somebody who writes no longer, where others have had the keys with another seed or hybrid key",
    has: ["1 reseeded", "2 hybrid"],
    by: "former",
    older: ["1", "2"],
    listed: ["1", "2 hybrid"],
    outcome: { published: [1, 2], ahead: [], unproven: [1, 2], hybrid: [2] },
  },
  {
    name: "a first sight by somebody who writes no longer, where an owner has signed for a key",
    has: ["1", "2"],
    by: "former",
    listed: ["1", "2"],
    ...{ log: ["1", "2"], owned: ["1"] },
    outcome: { published: [1, 2], ahead: [], unproven: [2] },
  },
  {
    name: "a first sight by somebody who writes no longer, where nobody shows the key log",
    has: ["1", "2"],
    by: "former",
    ...{ listed: ["1", "2"], log: "unshown", owned: ["1", "2"] },
    outcome: { published: [], ahead: [], remembered: [1, 2] },
  },
  {
    name: "a key that was seen, in the next revision of somebody who writes no longer",
    has: ["1", "2"],
    seen: ["1 published", "2"],
    isNext: true,
    by: "former",
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a key that the head lacks, in the next revision of the person here",
    has: ["1", "2"],
    seen: ["1 published"],
    isNext: true,
    by: "own",
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a key that was seen where the list could not be read",
    has: ["1", "2"],
    seen: ["1 published", "2"],
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a hybrid key that the list does not have",
    has: ["1", "2 hybrid"],
    first: ["1"],
    listed: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a hybrid key that the list has by now",
    has: ["1", "2 hybrid"],
    first: ["1"],
    listed: ["1", "2 hybrid"],
    outcome: { published: [1, 2], ahead: [], hybrid: [2] },
  },
  {
    name: "a hybrid key of one that is not published",
    has: ["1", "2 hybrid"],
    listed: ["1"],
    outcome: { published: [1], ahead: [2], remembered: [2], hybrid: [2] },
  },
  {
    name: "a key above the newest of the key log",
    has: ["1", "2"],
    listed: ["1", "2"],
    log: ["1"],
    outcome: { published: [1], ahead: [] },
  },
  {
    name: "a key below the newest of the key log, which does not name it",
    has: ["1", "2", "3"],
    listed: ["1", "2", "3"],
    log: ["1", "3"],
    outcome: { published: [1, 2, 3], ahead: [] },
  },
  {
    name: "another key than the log names",
    has: ["1", "2"],
    listed: ["1", "2"],
    log: ["1", "2 other", "3"],
    outcome: { published: [1], ahead: [] },
  },
  {
    name: "nobody shows the key log",
    has: ["1", "2"],
    seen: ["1 published"],
    listed: ["1", "2"],
    log: "unshown",
    outcome: { published: [1], ahead: [] },
  },
  {
    name: "a key that the log names, and the service denies",
    has: ["1", "2", "3"],
    listed: ["1"],
    log: ["1", "2"],
    outcome: { published: [1], ahead: [3], remembered: [3] },
  },
  {
    name: "a key below one that the log names, and the service denies",
    has: ["1", "2", "3"],
    listed: ["1"],
    log: ["1", "3"],
    outcome: { published: [1], ahead: [] },
  },
  {
    name: "a key of which the log names another, and which the service denies",
    has: ["1", "2"],
    listed: ["1"],
    log: ["1", "2 other"],
    outcome: { published: [1], ahead: [2], remembered: [2] },
  },
  {
    name: "a key that the service denies, as it does the key log",
    has: ["1", "2"],
    listed: ["1"],
    log: "unshown",
    outcome: { published: [], ahead: [2], remembered: [2] },
  },
  {
    name: "a key above the log that was seen as published",
    has: ["1", "2"],
    seen: ["1 published", "2 published"],
    listed: ["1", "2"],
    log: ["1"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a hybrid key that the log names, and the list lacks",
    has: ["1", "2 hybrid"],
    listed: ["1", "2"],
    log: ["1", "2 hybrid"],
    outcome: { published: [1, 2], ahead: [], hybrid: [2] },
  },
  {
    name: "a hybrid key that the log names, and the list names another",
    has: ["1", "2 hybrid"],
    listed: ["1", "2 planted"],
    log: ["1", "2 hybrid"],
    outcome: { published: [1, 2], ahead: [], hybrid: [2] },
  },
  {
    name: "a hybrid key that the list names, and the log names another",
    has: ["1", "2 planted"],
    listed: ["1", "2 planted"],
    log: ["1", "2 hybrid"],
    outcome: { published: [1, 2], ahead: [], denied: [2] },
  },
  {
    name: "a hybrid key that the list names, and the log names none",
    has: ["1", "2 planted"],
    listed: ["1", "2 planted"],
    log: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], denied: [2] },
  },
  {
    name: "a hybrid key of a version that the log does not name",
    has: ["1", "2 hybrid", "3"],
    listed: ["1", "2 hybrid", "3"],
    log: ["1", "3"],
    outcome: { published: [1, 2, 3], ahead: [], hybrid: [2] },
  },
  {
    name: "a hybrid key that the list lacks, next to another RSA key than the log names",
    has: ["1", "2 hybrid"],
    listed: ["1", "2"],
    log: ["1", "2 other hybrid"],
    outcome: { published: [1], ahead: [] },
  },
  {
    name: "a hybrid key that was remembered before the log named another",
    has: ["1", "2 planted"],
    seen: ["1 published", "2 published planted"],
    listed: ["1", "2 planted"],
    log: ["1", "2 hybrid"],
    outcome: { published: [1, 2], ahead: [], hybrid: [2] },
  },
  {
    name: "a hybrid key that was seen before its version was published",
    has: ["1", "2 planted"],
    seen: ["1 published", "2 planted"],
    listed: ["1", "2 planted"],
    log: ["1", "2 hybrid"],
    outcome: { published: [1, 2], ahead: [], denied: [2] },
  },
  {
    name: "a hybrid key that was not remembered, where nobody shows the log any longer",
    has: ["1", "2 planted"],
    seen: ["1 published", "2 published"],
    listed: ["1", "2 planted"],
    log: "unshown",
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "another seed than the log names",
    has: ["1", "2 reseeded"],
    listed: ["1", "2"],
    log: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], unseeded: [2], denied: [2] },
  },
  {
    name: "a seed of which the log says nothing",
    has: ["1", "2 reseeded"],
    listed: ["1", "2"],
    log: ["1", "2 unseeded"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "another seed than the log names, above what is published",
    has: ["1", "2 reseeded"],
    listed: ["1"],
    log: ["1", "2"],
    outcome: { published: [1], ahead: [] },
  },
  {
    name: "a seed that was remembered before the log named another",
    has: ["1", "2 reseeded"],
    seen: ["1 published", "2 published reseeded"],
    listed: ["1", "2"],
    log: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a seed that was not remembered stays so in the next revision",
    has: ["1", "2 reseeded"],
    seen: ["1 published", "2 published unseeded"],
    isNext: true,
    listed: ["1", "2"],
    log: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], unseeded: [2], denied: [2] },
  },
  {
    name: "the right seed, where another one was not remembered",
    has: ["1", "2"],
    seen: ["1 published", "2 published unseeded"],
    isNext: true,
    listed: ["1", "2"],
    log: ["1", "2"],
    outcome: { published: [1, 2], ahead: [] },
  },
  {
    name: "a seed that was not remembered, where nobody shows the log any longer",
    has: ["1", "2 reseeded"],
    seen: ["1 published", "2 published unseeded"],
    listed: ["1", "2"],
    log: "unshown",
    outcome: { published: [1, 2], ahead: [], unseeded: [2], denied: [2] },
  },
  {
    name: "a key whose seed was not remembered, and that the service denies",
    has: ["1", "2 reseeded"],
    seen: ["1 published", "2 published unseeded"],
    isNext: true,
    listed: ["1"],
    log: ["1", "2"],
    outcome: { published: [1, 2], ahead: [], unseeded: [2], denied: [2] },
  },
];

const hash = (text: string) => text.padEnd(43, "A");

function keyOf(text: string): SeenKey {
  const [version = "", ...words] = text.split(" ");
  const fingerprint = hash(words.includes("other") ? `other${version}` : `key${version}`);
  return {
    version: Number(version),
    fingerprint,
    hybridFingerprint: words.includes("hybrid") ? hash("hybrid") : words.includes("planted") ? hash("planted") : null,
    seedHash: words.includes("unseeded") ? null : hash(`${words.includes("reseeded") ? "other" : "seed"}${version}`),
    isPublished: words.includes("published"),
    ...(words.includes("ahead") && { isAhead: true }),
    ...(words.includes("unproven") && { isUnproven: true }),
  };
}

function toListed(name: string): PublishedKey {
  const { version, fingerprint, hybridFingerprint } = keyOf(name);
  return { version, fingerprint, ...(hybridFingerprint !== null && { hybridFingerprint }) };
}

function headOf(revision: number, keys: readonly SeenKey[]): EnvelopeHead {
  const list = { number: 1, hash: hash("L") };
  const of = { organizationId, formId, formName: "Contact", firstVersion: 1, readers: [], keyLog: null };
  return { ...of, revision, hash: hash(`r${revision}`), list, keys };
}

/** In the place of a reply key is what it follows from. */
function toLogged(name: string): LoggedKey {
  const { seedHash: replyKey, version, fingerprint, hybridFingerprint } = keyOf(name);
  return { version, fingerprint, hybridFingerprint, replyKey };
}

function toLog(
  names: readonly string[],
  signedBy: (name: string, index: number) => string = () => "writer",
): CountingLog {
  const entries = names.map((name, index) => ({
    ...{ number: index + 1, key: toLogged(name), signedBy: signedBy(name, index) },
  }));
  return { entries, entry: entries.at(-1) } as unknown as CountingLog; // all that is looked at
}

/** The outcome of an implementation for a case, in the case's own words. */
export async function trySettling(
  { findAhead, settlePublished, findOtherThanLogged }: Settling,
  { has, seen, isNext, listed, first = listed, log = [], by, older = [], owned }: PlantedCase,
): Promise<PlantedCase["outcome"]> {
  const published = listed?.map(toListed);
  const opened = first?.map(toListed);
  const before = seen && headOf(isNext ? 6 : 7, seen.map(keyOf));
  // As an opener has it: by the list, and by what was seen.
  const keys = has.map((name) => {
    const key = keyOf(name);
    const listed = opened?.find(({ fingerprint }) => fingerprint === key.fingerprint);
    const old = before?.keys.find(({ version, isPublished }) => isPublished && version === key.version);
    const isPublished = old !== undefined || listed !== undefined;
    const isWhole = [listed?.hybridFingerprint, old?.hybridFingerprint].includes(key.hybridFingerprint ?? undefined);
    return { ...key, isPublished, hybridFingerprint: isPublished && !isWhole ? null : key.hybridFingerprint };
  });
  const known =
    log === "unshown"
      ? log
      : log.length === 0
        ? "none"
        : toLog(log, (name) => (owned?.includes(name) ? "an owner" : "a former owner"));
  const signer = { isByFormer: by === "former", isOwn: by === "own", owners: new Set(["an owner"]) };
  const asLogged = has.map(toLogged);
  const head = settlePublished(headOf(7, keys), {
    before,
    published,
    log: known,
    asLogged,
    older: older.map(keyOf),
    ...signer,
  });
  const versionsOf = (some: readonly SeenKey[]) => some.map(({ version }) => version);
  const remembered = versionsOf(head.keys.filter(({ isAhead }) => isAhead));
  const unproven = versionsOf(head.keys.filter(({ isUnproven }) => isUnproven));
  const hybrid = versionsOf(head.keys.filter(({ hybridFingerprint }) => hybridFingerprint !== null));
  const unseeded = versionsOf(head.keys.filter(({ seedHash }) => seedHash === null));
  const denied = findOtherThanLogged(head, { log: known, asLogged });
  return {
    published: versionsOf(head.keys.filter(({ isPublished }) => isPublished)),
    ahead: findAhead(headOf(7, keys), published, known),
    ...(remembered.length > 0 && { remembered }),
    ...(unproven.length > 0 && { unproven }),
    ...(hybrid.length > 0 && { hybrid }),
    ...(unseeded.length > 0 && { unseeded }),
    ...(denied.length > 0 && { denied }),
  };
}

/** Whether the first revision of an envelope that is seen lacks a key that the form's key log names, whatever the service lists. */
export interface NamedCase {
  readonly name: string;
  readonly has: readonly string[];
  readonly log: readonly string[] | "none" | "unshown";
  /** The number of the entry that it names. */
  readonly names: number;
  readonly isLacking: boolean;
}

export const namedCases: readonly NamedCase[] = [
  { name: "all that the log names", has: ["1", "2"], log: ["1", "2"], names: 2, isLacking: false },
  { name: "one that its writer has seen is missing", has: ["2"], log: ["1", "2"], names: 2, isLacking: true },
  { name: "the newest that its writer has seen is missing", has: ["1"], log: ["1", "2"], names: 2, isLacking: true },
  { name: "another key than the log names", has: ["1 other", "2"], log: ["1", "2"], names: 2, isLacking: true },
  { name: "made since", has: ["1"], log: ["1", "2"], names: 1, isLacking: false },
  {
    name: "none below the newest, of an older entry",
    has: ["1", "3"],
    log: ["1", "2", "3"],
    names: 1,
    isLacking: true,
  },
  {
    name: "above the newest that the log names, with one that it does not name above that",
    ...{ has: ["1", "4"], log: ["1", "2", "3"], names: 1, isLacking: false },
  },
  { name: "of another envelope", has: ["1"], log: ["1", "33"], names: 2, isLacking: false },
  { name: "versions that the log does not name", has: ["1", "2", "3"], log: ["3"], names: 1, isLacking: false },
  { name: "no log counts", has: ["2"], log: "none", names: 1, isLacking: false },
  { name: "nobody shows it", has: ["2"], log: "unshown", names: 1, isLacking: false },
];

export async function tryNamed({ lacksNamed }: Settling, { has, log, names }: NamedCase): Promise<boolean> {
  const head = { ...headOf(7, has.map(keyOf)), keyLog: { number: names, hash: hash("K") } };
  return lacksNamed(head, typeof log === "string" ? log : toLog(log));
}

/** Parts of the keys that a device remembers, which the log denies, and the revision has otherwise. */
export interface DeniedCase {
  readonly name: string;
  readonly seen: readonly string[];
  readonly has: readonly string[];
  readonly log: readonly string[] | "none" | "unshown";
  /** Who has signed each entry; `writer` unless set. */
  readonly signed?: readonly string[];
  /** The revision is an owner's. */
  readonly isOwners?: true;
  /** `2 hybrid`, `2 seed`, or both. */
  readonly denied: readonly string[];
}

const byOther = { signed: ["other", "other", "other"] };

export const deniedCases: readonly DeniedCase[] = [
  { name: "what is remembered", seen: ["2 published"], has: ["2"], log: ["2"], ...byOther, denied: [] },
  {
    name: "a seed that the log denies",
    ...{ seen: ["1 published", "2 published reseeded"], has: ["1", "2"], log: ["1", "2"], ...byOther },
    denied: ["2 seed"],
  },
  {
    name: "a hybrid key that the log denies",
    ...{ seen: ["2 published planted"], has: ["2 hybrid"], log: ["2 hybrid"], ...byOther },
    denied: ["2 hybrid"],
  },
  {
    name: "both",
    ...{ seen: ["2 published planted reseeded"], has: ["2 hybrid"], log: ["2 hybrid"], ...byOther },
    denied: ["2 hybrid seed"],
  },
  {
    name: "a hybrid key where the log names none",
    ...{ seen: ["2 published planted"], has: ["2"], log: ["2"], ...byOther },
    denied: ["2 hybrid"],
  },
  {
    name: "a hybrid key that the log names, and another seed",
    ...{ seen: ["2 published hybrid reseeded"], has: ["2 planted"], log: ["2 hybrid"], ...byOther },
    denied: ["2 seed"],
  },
  {
    name: "another hybrid key in the revision than the log names",
    ...{ seen: ["2 published planted"], has: ["2"], log: ["2 hybrid"], ...byOther, denied: [] },
  },
  {
    name: "another seed in the revision than the log names",
    ...{ seen: ["2 published reseeded"], has: ["2"], log: ["2 reseeded"], ...byOther, denied: [] },
  },
  {
    name: "a seed of which the log says nothing",
    ...{ seen: ["2 published reseeded"], has: ["2"], log: ["2 unseeded"], ...byOther, denied: [] },
  },
  {
    name: "nothing is remembered",
    ...{ seen: ["2 published unseeded"], has: ["2 hybrid"], log: ["2 hybrid"], ...byOther, denied: [] },
  },
  {
    name: "a key that was never published",
    ...{ seen: ["2 planted reseeded"], has: ["2"], log: ["2"], ...byOther, denied: [] },
  },
  {
    name: "another key of the version in the log",
    ...{ seen: ["2 published reseeded"], has: ["2"], log: ["2 other"], ...byOther, denied: [] },
  },
  {
    name: "another key of the version in the revision",
    ...{ seen: ["2 published planted"], has: ["2 other"], log: ["2"], ...byOther, denied: [] },
  },
  { name: "no log counts", seen: ["2 published reseeded"], has: ["2"], log: "none", denied: [] },
  { name: "nobody shows it", seen: ["2 published reseeded"], has: ["2"], log: "unshown", denied: [] },
  {
    name: "its entry is the writer's own",
    ...{ seen: ["2 published reseeded"], has: ["2"], log: ["1", "2"], signed: ["other", "writer"], denied: [] },
  },
  {
    name: "its entry is the writer's own, with a former key",
    ...{ seen: ["2 published reseeded"], has: ["2"], log: ["2"], signed: ["former"], denied: [] },
  },
  {
    name: "its entry is the writer's own, and of an owner",
    ...{ seen: ["2 published reseeded"], has: ["2"], log: ["2"], isOwners: true },
    denied: ["2 seed"],
  },
  {
    name: "two entries name it, of which one is the writer's own",
    ...{ seen: ["2 published reseeded"], has: ["2"], log: ["2", "2"], signed: ["writer", "other"] },
    denied: ["2 seed"],
  },
];

export async function tryDenied(
  { findDenied }: Settling,
  { seen, has, log, signed = [], isOwners }: DeniedCase,
): Promise<readonly string[]> {
  const known = typeof log === "string" ? log : toLog(log, (_, index) => signed[index] ?? "writer");
  const head = headOf(8, has.map(keyOf));
  const revision = {
    head,
    asLogged: has.map(toLogged),
    isByOwner: isOwners === true,
    writerKeys: new Set(["writer", "former"]),
  };
  return findDenied(headOf(7, seen.map(keyOf)), known, revision).map(({ version, ...one }) =>
    [`${version}`, ...("hybridFingerprint" in one ? ["hybrid"] : []), ...("seedHash" in one ? ["seed"] : [])].join(" "),
  );
}

/** Hybrid keys of the service's list that a first sight has to have. */
export interface AskedCase {
  readonly name: string;
  readonly listed: readonly string[];
  readonly log: readonly string[] | "none" | "unshown";
  /** Versions whose hybrid keys are asked for. */
  readonly hybrid: readonly number[];
}

export const askedCases: readonly AskedCase[] = [
  { name: "list and log name it", listed: ["1", "2 hybrid"], log: ["1", "2 hybrid"], hybrid: [2] },
  { name: "the log names another", listed: ["1 hybrid", "2 planted"], log: ["1 hybrid", "2 hybrid"], hybrid: [1] },
  { name: "the log names none", listed: ["2 hybrid"], log: ["2"], hybrid: [] },
  { name: "the log does not name the version", listed: ["2 hybrid"], log: ["1"], hybrid: [2] },
  { name: "the log names another key", listed: ["2 hybrid"], log: ["2 other"], hybrid: [2] },
  { name: "no log counts", listed: ["2 hybrid"], log: "none", hybrid: [2] },
  { name: "nobody shows it", listed: ["2 hybrid"], log: "unshown", hybrid: [2] },
];

export async function tryAsked(
  { withoutOtherHybrids }: Settling,
  { listed, log }: AskedCase,
): Promise<readonly number[]> {
  const published = listed.map(toListed);
  const asked = withoutOtherHybrids(published, typeof log === "string" ? log : toLog(log)) ?? [];
  if (
    JSON.stringify(asked.map(({ fingerprint }) => fingerprint)) !==
    JSON.stringify(published.map((one) => one.fingerprint))
  )
    throw new Error("A key is gone");
  return asked.flatMap(({ version, hybridFingerprint }) => (hybridFingerprint === undefined ? [] : [version]));
}
