import { type ListEntry, listFormat, parseListEntry, subjectOf } from "./list-entry.ts";
import { type KnownNames, knownName, learnName } from "./list-names.ts";
import { apply, findSigner, isAllowed, type ListBefore, nextPlace } from "./list-rules.ts";
import type { ListedMember, Member, Unnamed } from "./member.ts";
import { type NamesFile, readNames, toNamesFile } from "./names.ts";
import { catchRefusal, check, type ListReason, RefusalError } from "./refusal.ts";
import { parseSignature, verifyLine } from "./signature.ts";
import { checkCritical, decodeText, hashOf, parseLine } from "./text.ts";

/** A place in a list: the number of an entry, and its hash, which fixes all entries before it. */
export interface ListHead {
  readonly number: number;
  readonly hash: string;
}

/** A list whose every entry was verified. Names are there as far as the file of names proves them. */
export interface VerifiedList {
  readonly organizationId: string;
  /** `undefined`: no entry says it, or it is missing. Then it is not signed. */
  readonly organizationName: string | undefined;
  /** To be remembered: the next list has to contain it. */
  readonly head: ListHead;
  /** By their ids. */
  readonly members: ReadonlyMap<string, Member>;
  /** The members right after an entry; `undefined` where this list has no such entry. */
  membersAt(head: ListHead): ReadonlyMap<string, Member> | undefined;
}

/** Every list has to agree with this: the newest head that was seen, or, at the first sight, a signing key that was passed on. */
export type Trust = { readonly head: ListHead } | { readonly signingKey: string };

/** Who signs: the id of a member, and the private half of that member's signing key. */
export interface Signer {
  readonly id: string;
  readonly signingKey: CryptoKey;
}

/** Programs of this version read no longer list. It makes no entry invalid. */
export const entriesMax = 32_768;
export const lineBytesMax = 4096;
/** Two lines, each with its line feed. */
export const entryBytesMax = lineBytesMax + 1 + 103;
export const listBytesMax = entriesMax * entryBytesMax;

interface SignedLine {
  readonly line: string;
  readonly signatureLine: string;
}

export interface KnownEntry {
  readonly entry: ListEntry;
  readonly hash: string;
  /** The key that signed it. */
  readonly signingKey: string;
}

export interface ExpectedList {
  readonly organizationId: string;
  readonly trust: Trust;
  /** The file of names, as it was received. Without it, and where it does not prove them, names are missing: the list verifies all the same. */
  readonly names?: Uint8Array | undefined;
}

/**
 * Checks a list as it was received, from its first entry on, one by one, and that it continues what is trusted. The checks, their order and what each
 * refusal means are in SPECIFICATION.md section 14.
 */
export function verifyList(
  received: Uint8Array,
  expected: ExpectedList,
): Promise<VerifiedList | RefusalError<ListReason>> {
  return catchRefusal(verify(received, expected));
}

async function verify(received: Uint8Array, { organizationId, trust, names }: ExpectedList): Promise<VerifiedList> {
  const state = createState(organizationId, readNames(names ?? new Uint8Array(), organizationId));
  const trustedKey = "signingKey" in trust ? trust.signingKey : undefined;
  let isVouched = false;
  const lines = splitList(received);
  if ("head" in trust) await requireHead(lines, trust.head);
  for (const line of lines) {
    const signingKey = await append(state, line);
    isVouched ||= signingKey === trustedKey;
  }
  if (trustedKey !== undefined) check(isVouched, "not_vouched");
  return toVerified(state);
}

/**
 * Checks a list that was kept since each of its entries was verified. The head has to be the last one: it fixes every entry, so no signature is verified
 * again.
 */
export function verifyKeptList(kept: Uint8Array, expected: KeptUpTo): Promise<VerifiedList | RefusalError<ListReason>> {
  return verifyContinuedList(kept, new Uint8Array(), expected);
}

/** The end of a list that was kept, and the file of names as it was received. */
export interface KeptUpTo extends Pick<ExpectedList, "organizationId" | "names"> {
  readonly head: ListHead;
}

/**
 * The same with entries as received that follow what was kept. These are checked as `verifyList` checks them, and cost one signature each. A refusal does
 * not say whether what was kept is damaged or what follows is wrong: verify the list whole.
 */
export function verifyContinuedList(
  kept: Uint8Array,
  later: Uint8Array,
  expected: KeptUpTo,
): Promise<VerifiedList | RefusalError<ListReason>> {
  return catchRefusal(verifyContinued(kept, later, expected));
}

async function verifyContinued(
  kept: Uint8Array,
  later: Uint8Array,
  { organizationId, head, names = new Uint8Array() }: KeptUpTo,
): Promise<VerifiedList> {
  const state = createState(organizationId, readNames(names, organizationId));
  check(kept.length + later.length <= listBytesMax, "malformed");
  const lines = later.length === 0 ? [] : splitList(later);
  check(head.number + lines.length <= entriesMax, "malformed");
  await appendKept(state, kept, head);
  for (const line of lines) await append(state, line);
  return toVerified(state);
}

/** Hashes that are computed at once: each waits for another thread. */
const hashedAtOnce = 256;

async function appendKept(state: ListState, kept: Uint8Array, head: ListHead): Promise<void> {
  const lines = splitList(kept).map(({ line }) => line);
  check(lines.length === head.number, "old_list");
  const hashes: string[] = [];
  for (let at = 0; at < lines.length; at += hashedAtOnce)
    hashes.push(...(await Promise.all(lines.slice(at, at + hashedAtOnce).map((line) => hashOf(line)))));
  check(hashes.at(-1) === head.hash, "forked");
  // Before anything of them is believed.
  const entries = lines.map((line, index) => readKept(line, hashes[index - 1]));
  for (const [index, entry] of entries.entries()) {
    check(entry.organizationId === state.organizationId, "other_organization");
    const signer = findSigner(state, entry);
    if (signer === undefined) throw new RefusalError("not_signed");
    checkCritical(entry);
    add(state, { entry, hash: hashes[index] ?? "", signer, name: await learnName(state, entry) });
  }
}

/** Each line is fixed by the one after, and the last by the head: so it is one that `append` has taken before. */
function readKept(line: string, previous: string | undefined): ListEntry {
  let entry: ListEntry | null;
  try {
    entry = JSON.parse(line) as ListEntry | null; // once the whole chain was compared
  } catch {
    throw new RefusalError("malformed");
  }
  check(entry?.previous === (previous ?? null), "broken_chain");
  return entry;
}

/**
 * Checks one entry, two lines as received, that is to follow a list (`undefined`: that is to be the first one), and gives the list with
 * it, and with the names in `file`. For a service that keeps lists for others: it costs one signature, and trusts what it has verified itself.
 */
export function verifyNextEntry(
  list: VerifiedList | undefined,
  organizationId: string,
  bytes: Uint8Array,
  file: NamesFile = toNamesFile([]),
): Promise<{ readonly list: VerifiedList; readonly entry: ListEntry } | RefusalError<ListReason>> {
  return catchRefusal(verifyNext(list, organizationId, bytes, file));
}

async function verifyNext(list: VerifiedList | undefined, organizationId: string, bytes: Uint8Array, file: NamesFile) {
  const [line, ...others] = splitList(bytes);
  if (line === undefined || others.length > 0) throw new RefusalError("malformed");
  const state = continueState(list, organizationId, file);
  await append(state, line);
  const entry = state.known.at(-1)?.entry;
  if (entry === undefined) throw new Error("The entry was just added");
  return { list: toVerified(state), entry };
}

function continueState(list: VerifiedList | undefined, organizationId: string, file: NamesFile): ListState {
  if (list === undefined) return createState(organizationId, file);
  const state = stateOf.get(list);
  if (state === undefined) throw new TypeError("Only a list that verifyList or verifyNextEntry gave can get an entry");
  return {
    ...{ organizationId, members: new Map(state.members), known: [...state.known], place: state.place },
    ...{ used: new Set(state.used), changed: new Map(state.changed) },
    ...{ file, names: new Map(state.names), organizationName: state.organizationName },
  };
}

function createState(organizationId: string, file: NamesFile): ListState {
  return {
    ...{ organizationId, members: new Map(), known: [], place: 0, used: new Set(), changed: new Map() },
    ...{ file, names: new Map(), organizationName: undefined },
  };
}

/** Everything about the entries so far. */
interface ListState {
  readonly organizationId: string;
  readonly members: Map<string, Member>;
  readonly known: KnownEntry[];
  /** The place of the last entry. */
  place: number;
  /** The admissions that entries have used up. */
  readonly used: Set<string>;
  /** The number of the last entry about each member who is or was one. */
  readonly changed: Map<string, number>;
  readonly file: NamesFile;
  readonly names: Map<string, string>;
  organizationName: string | undefined;
}

/** Checks an entry and adds it. Returns the key that signed it. */
async function append(state: ListState, { line, signatureLine }: SignedLine): Promise<string> {
  const { organizationId, known } = state;
  const entry = parseLine(line, parseListEntry);
  const signature = parseSignature(signatureLine);
  check(entry.organizationId === organizationId, "other_organization");
  check(isNext(known.at(-1), entry), "broken_chain");
  const signer = findSigner(state, entry);
  if (!signer?.signingKey) throw new RefusalError("not_signed");
  // At the same time, as all three wait for another thread.
  const [hashing, learning] = [hashOf(line), learnName(state, entry)];
  await verifyLine(listFormat, line, signature, signer.signingKey);
  check(isAllowed(state, signer, entry), "not_allowed");
  checkCritical(entry);
  add(state, { entry, hash: await hashing, signer, name: await learning });
  return signer.signingKey;
}

interface CheckedEntry {
  readonly entry: ListEntry;
  readonly hash: string;
  readonly signer: Unnamed;
  /** The name that the entry gives the organization; `undefined` in any other, and without proof. */
  readonly name: string | undefined;
}

function add(state: ListState, { entry, hash, signer, name }: CheckedEntry): void {
  const { members, known, used, changed } = state;
  const subject = subjectOf(entry);
  apply(members, entry, (member) => toKnown(member, state.names));
  if (entry.change === "name") state.organizationName = name;
  state.place = nextPlace(state.place, signer);
  if (subject !== undefined) changed.set(subject, entry.number);
  if (entry.admission !== null) used.add(entry.admission.id);
  known.push({ entry, hash, signingKey: signer.signingKey ?? "" });
}

/** A list begins with an owner who is added; each other entry names the one before. */
function isNext(before: KnownEntry | undefined, { number, previous, change }: ListEntry): boolean {
  if (before === undefined) return number === 1 && change === "add";
  return number === before.entry.number + 1 && previous === before.hash;
}

/** The list's lines, none of them parsed. Everything that bounds the work is checked here. */
function splitList(bytes: Uint8Array): readonly SignedLine[] {
  check(bytes.length <= listBytesMax, "malformed");
  const lines = decodeText(bytes).split("\n");
  check(lines.pop() === "" && lines.length % 2 === 0 && lines.length > 0, "malformed");
  check(lines.length <= 2 * entriesMax, "malformed");
  return lines.flatMap((line, index) => {
    if (index % 2 === 1) return [];
    check(new TextEncoder().encode(line).length <= lineBytesMax, "malformed");
    return [{ line, signatureLine: lines[index + 1] ?? "" }];
  });
}

/** Before any entry is parsed: it costs nothing to refuse what a stranger made up. */
async function requireHead(lines: readonly SignedLine[], { number, hash }: ListHead): Promise<void> {
  check(number <= lines.length, "old_list");
  check((await hashOf(lines[number - 1]?.line ?? "")) === hash, "forked");
}

/** Everything about lists that were verified here, which their users need not see. */
const stateOf = new WeakMap<VerifiedList, Readonly<ListState>>();

/** The place of the list's last entry, the admissions that its entries have used up, and the last entry about each member. */
export function findUsage(list: VerifiedList | undefined): Omit<ListBefore, "members"> {
  if (list === undefined) return { place: 0, used: new Set(), changed: new Map() };
  // Nothing more is known of one that was not verified here than that it has entries.
  return stateOf.get(list) ?? { place: 1, used: new Set(), changed: new Map() };
}

/** All entries, each with its hash and the key that signed it. */
export const knownEntries = (list: VerifiedList): readonly KnownEntry[] => stateOf.get(list)?.known ?? [];

export const entriesOf = (list: VerifiedList) => knownEntries(list).map(({ entry }) => entry);

function toKnown({ name: commitment, ...member }: ListedMember, names: KnownNames): Member {
  return { ...member, commitment, name: knownName(names, member.id, commitment) };
}

/** No plain object: what copies those, such as the cache of a page, would give a list of which no entry is known. */
class Verified {}

function toVerified(state: ListState): VerifiedList {
  const { organizationId, organizationName, members, known, names } = state;
  const list: VerifiedList = Object.assign(new Verified(), {
    organizationId,
    organizationName,
    head: { number: known.length, hash: known.at(-1)?.hash ?? "" },
    members,
    membersAt({ number, hash }: ListHead) {
      if (known[number - 1]?.hash !== hash) return undefined;
      const then = new Map<string, Member>();
      for (const { entry } of known.slice(0, number)) apply(then, entry, (member) => toKnown(member, names));
      return then;
    },
  });
  stateOf.set(list, state);
  return list;
}
