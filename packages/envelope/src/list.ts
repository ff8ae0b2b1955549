import { formatTime, noExtensions } from "@sealpost/wire";
import { type Change, type ListEntry, listFormat, parseListEntry, subjectOf } from "./list-entry.ts";
import { apply, entriesMax, findSigner, isAllowed, type ListBefore, type PlaceStage, stageOf } from "./list-rules.ts";
import type { Member } from "./member.ts";
import { catchRefusal, check, type ListReason, RefusalError } from "./refusal.ts";
import { parseSignature, signLine, verifyLine } from "./signature.ts";
import { checkCritical, decodeText, hashOf, parseLine } from "./text.ts";

/** A place in a list: the number of an entry, and its hash, which fixes all entries before it. */
export interface ListHead {
  readonly number: number;
  readonly hash: string;
}

/** A list whose every entry was verified. */
export interface VerifiedList {
  readonly organizationId: string;
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

/**
 * Checks a list as it was received, entry by entry, and that it continues what is trusted; the bytes alone are its first part, and all of it. The
 * checks, their order and what each refusal means are in SPECIFICATION.md section 14.
 */
export function verifyList(
  received: Uint8Array | ListParts,
  expected: { readonly organizationId: string; readonly trust: Trust },
): Promise<VerifiedList | RefusalError<ListReason>> {
  return catchRefusal(verify("parts" in received ? received : { first: 1, parts: [received] }, expected));
}

async function verify(
  { first, parts }: ListParts,
  { organizationId, trust }: { readonly organizationId: string; readonly trust: Trust },
): Promise<VerifiedList> {
  const state: ListState = { organizationId, members: new Map(), known: [], count: 0, used: new Set() };
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
 * it. For a service that keeps lists for others: it costs one signature, and trusts what it has verified itself.
 */
export function verifyNextEntry(
  list: VerifiedList | undefined,
  organizationId: string,
  bytes: Uint8Array,
): Promise<{ readonly list: VerifiedList; readonly entry: ListEntry } | RefusalError<ListReason>> {
  return catchRefusal(verifyNext(list, organizationId, bytes));
}

async function verifyNext(list: VerifiedList | undefined, organizationId: string, bytes: Uint8Array) {
  const [line, ...others] = splitList(bytes);
  if (line === undefined || others.length > 0) throw new RefusalError("malformed");
  const known = list === undefined ? [] : knownOf.get(list);
  if (known === undefined) throw new TypeError("Only a list that verifyList or verifyNextEntry gave can get an entry");
  const state: ListState = { organizationId, members: new Map(list?.members), known: [...known], ...partOf(known) };
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

function toBefore({ members, known, count, used }: Omit<ListState, "organizationId">): ListBefore {
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
  apply(members, entry);
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

/** Who may write the next entry, and how many more there can be. An organization without a list may write the first one. */
export function findListRoom(list: VerifiedList | undefined): { readonly stage: PlaceStage; readonly left: number } {
  const { count } = partOf((list && knownOf.get(list)) ?? []);
  return { stage: stageOf(count + 1), left: entriesMax - count };
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
  const before = added !== undefined && "member" in added && "recipient" in added.member ? added.member : undefined;
  return before !== undefined && member !== undefined && before.recipient !== member.recipient;
}

/** The entries of lists that were verified here, which their users need not see. */
const knownOf = new WeakMap<VerifiedList, readonly Known[]>();

/** All entries that were received. */
export const entriesOf = (list: VerifiedList) => (knownOf.get(list) ?? []).map(({ entry }) => entry);

function toVerified({ organizationId, members, known }: ListState): VerifiedList {
  const list: VerifiedList = {
    organizationId,
    head: { number: known.at(-1)?.entry.number ?? 0, hash: known.at(-1)?.hash ?? "" },
    members,
    membersAt({ number, hash }) {
      const index = number - (known[0]?.entry.number ?? 1);
      if (known[index]?.hash !== hash) return undefined;
      const then = new Map<string, Member>();
      for (const { entry } of known.slice(0, index + 1)) apply(then, entry);
      return then;
    },
  };
  knownOf.set(list, known);
  return list;
}

/**
 * One more entry, signed, as text to add at the end of the list; without `list` the first one. Rejects with a `RefusalError`
 * where the rules do not allow it, or the signer's key is not the one in the list.
 */
export async function createListEntry(
  list: VerifiedList | undefined,
  organizationId: string,
  change: Change,
  signer: Signer,
  now: number = Date.now(),
): Promise<string> {
  const entry = parseListEntry({
    format: listFormat,
    organizationId,
    number: (list?.head.number ?? 0) + 1,
    previous: list?.head.hash ?? null,
    writtenAt: formatTime(now),
    signedBy: signer.id,
    admission: null,
    ...change,
    ...noExtensions,
  });
  const line = JSON.stringify(entry);
  check(list === undefined || list.organizationId === organizationId, "other_organization");
  const known = list === undefined ? [] : (knownOf.get(list) ?? []);
  const last = known.at(-1)?.entry.change ?? (list && "note");
  const before: ListBefore = { members: list?.members ?? new Map(), ...partOf(known), last };
  const member = findSigner(before, entry);
  check(member !== undefined && isAllowed(before, member, entry), "not_allowed");
  const signed = await signLine(listFormat, line, signer.signingKey);
  await verifyLine(listFormat, line, parseSignature(signed.split("\n")[1] ?? ""), member.signingKey ?? "");
  return signed;
}
