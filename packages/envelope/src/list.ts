import { splitParts } from "./list-bytes.ts";
import { type ListEntry, listFormat, parseListEntry } from "./list-entry.ts";
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
 * Checks a list as it was received, entry by entry, and that it continues what is trusted. The bytes alone are its parts one after the other. The
 * checks, their order and what each refusal means are in SPECIFICATION.md section 14.
 */
export function verifyList(
  received: Uint8Array | ListParts,
  expected: ExpectedList,
): Promise<VerifiedList | RefusalError<ListReason>> {
  return catchRefusal(
    Promise.resolve().then(() => verify("parts" in received ? received : splitParts(received), expected)),
  );
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
  const state = continueState(list, organizationId, file);
  await append(state, line, { first: 1 });
  const entry = state.known.at(-1)?.entry;
  if (entry === undefined) throw new Error("The entry was just added");
  return { list: toVerified(state), entry };
}

/** The same of a whole part that is to follow, its entries as they were received together: it costs a signature for each. */
export function verifyNextPart(
  list: VerifiedList,
  bytes: Uint8Array,
  file: NamesFile = toNamesFile([]),
): Promise<{ readonly list: VerifiedList; readonly entries: readonly KnownEntry[] } | RefusalError<ListReason>> {
  return catchRefusal(verifyPart(list, bytes, file));
}

async function verifyPart(list: VerifiedList, bytes: Uint8Array, file: NamesFile) {
  const state = continueState(list, list.organizationId, file);
  const before = state.known.length;
  for (const [index, line] of splitList(bytes).entries())
    await append(state, line, { first: 1, isFirstOfPart: index === 0 });
  return { list: toVerified(state), entries: state.known.slice(before) };
}

function continueState(list: VerifiedList | undefined, organizationId: string, file: NamesFile): ListState {
  const known = list === undefined ? [] : knownOf.get(list);
  if (known === undefined) throw new TypeError("Only a list that verifyList or verifyNextEntry gave can get an entry");
  return {
    ...{ organizationId, members: new Map(list?.members), known: [...known], ...findPartOf(known) },
    ...{ file, names: new Map(list && namesOf.get(list)), organizationName: list?.organizationName },
  };
}

/** Everything about the entries so far. */
interface ListState {
  readonly organizationId: string;
  readonly members: Map<string, Member>;
  readonly known: KnownEntry[];
  /** The entries of the newest part. */
  count: number;
  /** The admissions that they have used up. */
  readonly used: Set<string>;
  readonly file: NamesFile;
  readonly names: Map<string, string>;
  organizationName: string | undefined;
}

/** The newest part. */
function findPartOf(known: readonly KnownEntry[]): Pick<ListState, "count" | "used"> {
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
function isInItsPlace(
  known: readonly KnownEntry[],
  { number, previous, change }: ListEntry,
  received: Received,
): boolean {
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

/** The entries of lists that were verified here, which their users need not see. */
const knownOf = new WeakMap<VerifiedList, readonly KnownEntry[]>();
const namesOf = new WeakMap<VerifiedList, KnownNames>();

/** The number of entries in the newest part, and the admissions that they have used up. */
export const findPart = (list: VerifiedList) => findPartOf(knownOf.get(list) ?? []);

/** All entries that were received, each with its hash and the key that signed it. */
export const knownEntries = (list: VerifiedList): readonly KnownEntry[] => knownOf.get(list) ?? [];

/** All entries that were received. */
export const entriesOf = (list: VerifiedList) => knownEntries(list).map(({ entry }) => entry);

/** The names that the file of names has proven. */
export const knownNamesOf = (list: VerifiedList): KnownNames => namesOf.get(list) ?? new Map();

export function toKnown({ name: commitment, ...member }: ListedMember, names: KnownNames): Member {
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
