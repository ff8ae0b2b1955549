import { entriesOf, findUsage, knownEntries, type ListHead, type VerifiedList } from "./list.ts";
import { type ListEntry, subjectOf, type WrittenChange } from "./list-entry.ts";
import { apply, placesMax } from "./list-rules.ts";
import { type ListedMember, takesRight } from "./member.ts";

// Questions about the past of a verified list, which its entries answer.

/** Whether an entry after this head, which the list contains, has added, replaced or removed the member. */
export function wasChangedSince(list: VerifiedList, { number }: Pick<ListHead, "number">, memberId: string): boolean {
  return knownEntries(list).some(({ entry }) => entry.number > number && subjectOf(entry) === memberId);
}

/** A member who is there before an entry, and what becomes of them. */
export interface MemberChange {
  readonly signedBy: string;
  readonly before: ListedMember;
  /** `undefined`: they are removed. */
  readonly after: ListedMember | undefined;
}

/** `members`: those before the entry. `undefined` where it changes none of them. */
export function changeBy(
  members: ReadonlyMap<string, ListedMember>,
  entry: WrittenChange & Pick<ListEntry, "signedBy">,
): MemberChange | undefined {
  if (entry.change !== "remove" && entry.change !== "replace") return undefined;
  const before = members.get(entry.member.id);
  return before && { signedBy: entry.signedBy, before, after: entry.change === "remove" ? undefined : entry.member };
}

/** The changes of members by the entries after `from`, up to and including `to`: also of those who are by now what they were. */
export function findChanges(
  list: VerifiedList,
  from: number,
  to: number = list.head.number,
): readonly (MemberChange & Pick<ListEntry, "number" | "writtenAt">)[] {
  const members = new Map<string, ListedMember>();
  const changes: (MemberChange & Pick<ListEntry, "number" | "writtenAt">)[] = [];
  for (const entry of entriesOf(list).slice(0, to)) {
    const change = entry.number > from ? changeBy(members, entry) : undefined;
    if (change !== undefined) changes.push({ ...change, number: entry.number, writtenAt: entry.writtenAt });
    apply(members, entry, (member) => member);
  }
  return changes;
}

/** The signing keys that a member has or had. */
export function findSigningKeys(list: VerifiedList, memberId: string): ReadonlySet<string> {
  const own = [...list.members.values(), ...findChanges(list, 0).map(({ before }) => before)];
  return new Set(own.flatMap(({ id, signingKey }) => (id === memberId && signingKey !== null ? [signingKey] : [])));
}

/** Whether an entry after this head, which the list contains, has removed a person, or given one a lesser role. */
export function hasTakenRight(list: VerifiedList, { number }: Pick<ListHead, "number">): boolean {
  return findChanges(list, number).some(({ before, after }) => takesRight(before, after));
}

/** The number of the entry that removed somebody last, or gave them another recipient, signing key or role, by their id. */
export function findLastChanged(list: VerifiedList): ReadonlyMap<string, number> {
  const changes = findChanges(list, 0).filter(({ before, after }) => {
    const isSame = before.recipient === after?.recipient && before.signingKey === after.signingKey;
    return !isSame || before.role !== after.role;
  });
  return new Map(changes.map(({ before, number }) => [before.id, number]));
}

/** Whether an entry names this admission, which it has used up. */
export function hasUsed(list: VerifiedList, admissionId: string): boolean {
  return findUsage(list).used.has(admissionId);
}

/** Whether the list contains this head. */
export function hasHead(list: VerifiedList, { number, hash }: ListHead): boolean {
  return knownEntries(list)[number - 1]?.hash === hash;
}

/** Entries that others than owners and recovery keys may still write before one of theirs. */
export function findPlacesLeft(list: VerifiedList | undefined): number {
  return placesMax - findUsage(list).place;
}

/**
 * Whether an entry vouches for the list by this signing key. One in which the key gives its place to another one does not: it may be signed for a list that
 * is for reading, and the key brought back. SPECIFICATION.md section 22.
 */
export function isVouchedBy(list: VerifiedList, signingKey: string): boolean {
  const isHandingOver = (entry: ListEntry) =>
    entry.change === "replace" && entry.member.id === entry.signedBy && entry.member.signingKey !== signingKey;
  return knownEntries(list).some((known) => known.signingKey === signingKey && !isHandingOver(known.entry));
}
