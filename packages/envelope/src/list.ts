import { type ListEntry, listFormat, memberIn, parseListEntry, subjectOf } from "./list-entry.ts";
import { type KnownNames, knownName, learnName } from "./list-names.ts";
import { apply, entriesMax, findSigner, isAllowed, type ListBefore } from "./list-rules.ts";
import type { ListedMember, Member } from "./member.ts";
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
  /** As the newest part has it. `undefined`: no entry says it, or it is missing. Then it is not signed. */
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

export const lineBytesMax = 4096;
/** Two lines, each with its line feed. */
export const entryBytesMax = lineBytesMax + 1 + 103;
export const listBytesMax = entriesMax * entryBytesMax;

/** Parts of a list, each as it was received. Not all need be there: a device that has seen nothing checks the newest one alone. */
export interface ListParts {
  /** The number of the first entry, as the service says it. */
  readonly first: number;
  readonly parts: readonly Uint8Array[];
}

interface SignedLine {
  readonly line: string;
  readonly signatureLine: string;
}

interface Known {
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
 * Checks a list as it was received, entry by entry, and that it continues what is trusted; the bytes alone are its first part, and all of it. The
 * checks, their order and what each refusal means are in SPECIFICATION.md section 14.
 */
export function verifyList(
  received: Uint8Array | ListParts,
  expected: ExpectedList,
): Promise<VerifiedList | RefusalError<ListReason>> {
  return catchRefusal(verify("parts" in received ? received : { first: 1, parts: [received] }, expected));
}

async function verify(
  { first, parts }: ListParts,
  { organizationId, trust, names }: ExpectedList,
): Promise<VerifiedList> {
  const file = readNames(names ?? new Uint8Array(), organizationId);
  const state: ListState = {
    ...{ organizationId, members: new Map(), known: [], count: 0, used: new Set() },
    ...{ file, names: new Map(), organizationName: undefined },
  };
  const trustedKey = "signingKey" in trust ? trust.signingKey : undefined;
  let isVouched = false;
  const lines = parts.map(splitList);
  check(lines.length > 0, "malformed");
  if ("head" in trust) await requireHead(lines.flat(), first, trust.head);
  for (const part of lines)
    for (const [index, line] of part.entries()) {
      const signingKey = await append(state, line, { first, isFirstOfPart: index === 0, trustedKey });
      isVouched ||= signingKey === trustedKey;
    }
  if (trustedKey !== undefined) check(isVouched, "not_vouched");
  return toVerified(state);
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
  const known = list === undefined ? [] : knownOf.get(list);
  if (known === undefined) throw new TypeError("Only a list that verifyList or verifyNextEntry gave can get an entry");
  const state: ListState = {
    ...{ organizationId, members: new Map(list?.members), known: [...known], ...partOf(known) },
    ...{ file, names: new Map(list && namesOf.get(list)), organizationName: list?.organizationName },
  };
  await append(state, line, { first: 1 });
  const entry = state.known.at(-1)?.entry;
  if (entry === undefined) throw new Error("The entry was just added");
  return { list: toVerified(state), entry };
}

/** Everything about the entries so far. */
interface ListState {
  readonly organizationId: string;
  readonly members: Map<string, Member>;
  readonly known: Known[];
  /** The entries of the newest part. */
  count: number;
  /** The admissions that they have used up. */
  readonly used: Set<string>;
  readonly file: NamesFile;
  readonly names: Map<string, string>;
  organizationName: string | undefined;
}

/** The newest part. */
function partOf(known: readonly Known[]): Pick<ListState, "count" | "used"> {
  const entries = known.slice(
    Math.max(
      0,
      known.findLastIndex(({ entry }) => entry.change === "begin"),
    ),
  );
  return { count: entries.length, used: new Set(entries.flatMap(({ entry }) => entry.admission?.id ?? [])) };
}

function toBefore({ members, known, count, used }: ListState): ListBefore {
  return { members, count, used, last: known.at(-1)?.entry.change };
}

/** Where an entry was received: in which place of its part, where that is known, and from which number on. */
interface Received {
  readonly first: number;
  readonly isFirstOfPart?: boolean;
  readonly trustedKey?: string | undefined;
}

/** Parts come apart from each other: each, but for the first of a list, with the entry that begins it, and no other has one. */
function isInItsPlace(known: readonly Known[], { number, previous, change }: ListEntry, received: Received): boolean {
  const { first, isFirstOfPart = change === "begin" } = received;
  const before = known.at(-1);
  if (before === undefined) return number === first && change === (number === 1 ? "add" : "begin");
  if ((change === "begin") !== isFirstOfPart) return false;
  return number === before.entry.number + 1 && previous === before.hash;
}

/** Checks an entry and adds it. Returns the key that signed it. */
async function append(state: ListState, { line, signatureLine }: SignedLine, received: Received): Promise<string> {
  const { organizationId, members, known, used } = state;
  const entry = parseLine(line, parseListEntry);
  const signature = parseSignature(signatureLine);
  check(entry.organizationId === organizationId, "other_organization");
  check(isInItsPlace(known, entry, received), "broken_chain");
  const before = toBefore(state);
  const signer = findSigner(before, entry, received.trustedKey);
  if (!signer?.signingKey) throw new RefusalError("not_signed");
  await verifyLine(listFormat, line, signature, signer.signingKey);
  check(isAllowed(before, signer, entry), "not_allowed");
  checkCritical(entry);
  const name = await learnName(state, entry);
  apply(members, entry, (member) => toKnown(member, state.names));
  if (entry.change === "begin" || entry.change === "name") state.organizationName = name;
  if (entry.change === "begin") used.clear();
  state.count = entry.change === "begin" ? 1 : state.count + 1;
  if (entry.admission !== null) used.add(entry.admission.id);
  known.push({ entry, hash: await hashOf(line), signingKey: signer.signingKey });
  return signer.signingKey;
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
async function requireHead(lines: readonly SignedLine[], first: number, { number, hash }: ListHead): Promise<void> {
  check(number >= first && number < first + lines.length, "old_list");
  check((await hashOf(lines[number - first]?.line ?? "")) === hash, "forked");
}

/** The head of a list by its number of lines and its last entry, and nothing is checked: for people to compare. `undefined`: it is no list. */
export async function findClaimedHead(bytes: Uint8Array): Promise<ListHead | undefined> {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const isList = bytes.length <= listBytesMax && lines.length >= 3 && lines.length % 2 === 1 && lines.at(-1) === "";
  return isList ? { number: (lines.length - 1) / 2, hash: await hashOf(lines.at(-3) ?? "") } : undefined;
}

/** Whether an entry after this head, which the list contains, has added, replaced or removed the member. */
export function wasChangedSince(list: VerifiedList, { number }: ListHead, memberId: string): boolean {
  return (knownOf.get(list) ?? []).some(
    ({ entry }) => entry.number > number && subjectOf(entry) === memberId && entry.change !== "carry",
  );
}

/** Whether an entry of the newest part names this admission, which it has used up. */
export function hasUsed(list: VerifiedList, admissionId: string): boolean {
  return partOf(knownOf.get(list) ?? []).used.has(admissionId);
}

/** Whether this is a head of the newest part. */
export function isOfNewestPart(list: VerifiedList, head: ListHead): boolean {
  const { count } = partOf(knownOf.get(list) ?? []);
  return head.number > list.head.number - count && list.membersAt(head) !== undefined;
}

/**
 * Whether an entry vouches for the list by this signing key. One in which the key gives its place to another one does not: it may be signed for a list that
 * is for reading, and the key brought back. SPECIFICATION.md section 22.
 */
export function isVouchedBy(list: VerifiedList, signingKey: string): boolean {
  const isHandingOver = (entry: ListEntry) =>
    entry.change === "replace" && entry.member.id === entry.signedBy && entry.member.signingKey !== signingKey;
  return (knownOf.get(list) ?? []).some((known) => known.signingKey === signingKey && !isHandingOver(known.entry));
}

/** Whether a member has another recipient than the one they were added with. */
export function hasReplacedKeys(list: VerifiedList, memberId: string): boolean {
  const member = list.members.get(memberId);
  const isAdding = ({ change }: ListEntry) => change === "add" || change === "carry" || change === "begin";
  const added = knownOf.get(list)?.findLast(({ entry }) => isAdding(entry) && subjectOf(entry) === memberId)?.entry;
  const before = added && memberIn(added);
  return before !== undefined && member !== undefined && before.recipient !== member.recipient;
}

/** The entries of lists that were verified here, which their users need not see. */
const knownOf = new WeakMap<VerifiedList, readonly Known[]>();
const namesOf = new WeakMap<VerifiedList, KnownNames>();

/** The member that the newest entry about them was about, also if they are there no longer. */
export function findEverMember(list: VerifiedList, id: string): Member | undefined {
  const last = (knownOf.get(list) ?? []).findLast(({ entry }) => memberIn(entry)?.id === id);
  const member = last && memberIn(last.entry);
  return member && toKnown(member, namesOf.get(list) ?? new Map());
}

/** The number of entries in the newest part, and the admissions that they have used up. */
export const findPart = (list: VerifiedList) => partOf(knownOf.get(list) ?? []);

/** All entries that were received. */
export const entriesOf = (list: VerifiedList) => (knownOf.get(list) ?? []).map(({ entry }) => entry);

function toKnown({ name: commitment, ...member }: ListedMember, names: KnownNames): Member {
  return { ...member, commitment, name: knownName(names, member.id, commitment) };
}

function toVerified({ organizationId, organizationName, members, known, names }: ListState): VerifiedList {
  const list: VerifiedList = {
    organizationId,
    organizationName,
    head: { number: known.at(-1)?.entry.number ?? 0, hash: known.at(-1)?.hash ?? "" },
    members,
    membersAt({ number, hash }) {
      const index = number - (known[0]?.entry.number ?? 1);
      if (known[index]?.hash !== hash) return undefined;
      const then = new Map<string, Member>();
      for (const { entry } of known.slice(0, index + 1)) apply(then, entry, (member) => toKnown(member, names));
      return then;
    },
  };
  knownOf.set(list, known);
  namesOf.set(list, names);
  return list;
}
