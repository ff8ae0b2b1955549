import { findPart, knownEntries, knownNamesOf, type ListHead, toKnown, type VerifiedList } from "./list.ts";
import { type ListEntry, memberIn, subjectOf } from "./list-entry.ts";
import type { Member } from "./member.ts";

// Questions about the past of a verified list, which its entries answer.

/** Whether an entry after this head, which the list contains, has added, replaced or removed the member. */
export function wasChangedSince(list: VerifiedList, { number }: ListHead, memberId: string): boolean {
  return knownEntries(list).some(
    ({ entry }) => entry.number > number && subjectOf(entry) === memberId && entry.change !== "carry",
  );
}

/** Whether an entry of the newest part names this admission, which it has used up. */
export function hasUsed(list: VerifiedList, admissionId: string): boolean {
  return findPart(list).used.has(admissionId);
}

/** Whether this is a head of the newest part. */
export function isOfNewestPart(list: VerifiedList, head: ListHead): boolean {
  const { count } = findPart(list);
  return head.number > list.head.number - count && list.membersAt(head) !== undefined;
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

/** Whether a member has another recipient than the one they were added with. */
export function hasReplacedKeys(list: VerifiedList, memberId: string): boolean {
  const member = list.members.get(memberId);
  const isAdding = ({ change }: ListEntry) => change === "add" || change === "carry" || change === "begin";
  const added = knownEntries(list).findLast(({ entry }) => isAdding(entry) && subjectOf(entry) === memberId)?.entry;
  const before = added && memberIn(added);
  return before !== undefined && member !== undefined && before.recipient !== member.recipient;
}

/** The member that the newest entry about them was about, also if they are there no longer. */
export function findEverMember(list: VerifiedList, id: string): Member | undefined {
  const last = knownEntries(list).findLast(({ entry }) => memberIn(entry)?.id === id);
  const member = last && memberIn(last.entry);
  return member && toKnown(member, knownNamesOf(list));
}
