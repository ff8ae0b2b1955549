import type { EnvelopeContent } from "./envelope-content.ts";
import type { ListHead, VerifiedList } from "./list.ts";
import { findChanges, type MemberChange } from "./list-history.ts";
import { mayRead, mayWrite } from "./member.ts";

// Who reads and writes an envelope no longer: SPECIFICATION.md section 15. The entries since say so, and not what the members are now: somebody else, who may
// not read the form, can have let them into the list again, and nobody who reads it has.

type Named = Pick<EnvelopeContent, "signedBy" | "list">;

const isLeaving = ({ before, after }: MemberChange) => mayRead(before) && (after === undefined || !mayRead(after));
const hasOtherRecipient = ({ before, after }: MemberChange) =>
  after !== undefined && after.recipient !== before.recipient;
const isByOthers = ({ before, signedBy }: MemberChange) => signedBy !== before.id;
const endsWriting = ({ before, after }: MemberChange) =>
  after === undefined || !mayWrite(after) || after.signingKey !== before.signingKey;
const endsOwning = (change: MemberChange) => endsWriting(change) || change.after?.role !== "owner";

const idsOf = (changes: readonly MemberChange[]): ReadonlySet<string> =>
  new Set(changes.map(({ before }) => before.id));

/** Ids of members who could read until an entry after this head removed them or took the role away, also if they are back. */
export function findLeft(list: VerifiedList, { number }: Pick<ListHead, "number">): ReadonlySet<string> {
  return idsOf(findChanges(list, number).filter(isLeaving));
}

/** Ids of the members whose recipient was another one since this head, or since they were added, whatever it is now. */
export function findRekeyed(list: VerifiedList, { number }: Pick<ListHead, "number">): ReadonlySet<string> {
  const rekeyed = new Set<string>();
  for (const change of findChanges(list, number)) {
    if (change.after === undefined) rekeyed.delete(change.before.id);
    else if (hasOtherRecipient(change)) rekeyed.add(change.before.id);
  }
  return rekeyed;
}

/** Ids of the members who do not read at `to` what they read at `from`: others have taken them out, or given them another recipient, whatever came after. */
export function findTakenOut(list: VerifiedList, from: number, to: number): ReadonlySet<string> {
  const isTaken = (change: MemberChange) => isLeaving(change) || (hasOtherRecipient(change) && isByOthers(change));
  return idsOf(findChanges(list, from, to).filter(isTaken));
}

const changesSince = ({ list: named }: Pick<Named, "list">, list: VerifiedList) => findChanges(list, named.number);

/** Whether an entry after the list of this revision has ended that its signer, an owner then, does what owners alone may do. */
export function isFormerOwner(content: Named, list: VerifiedList): boolean {
  return idsOf(changesSince(content, list).filter(endsOwning)).has(content.signedBy);
}

/** Whether an entry after the list of this revision has ended that its signer writes. */
export function isFormerWriter(content: Named, list: VerifiedList): boolean {
  return idsOf(changesSince(content, list).filter(endsWriting)).has(content.signedBy);
}

/** How a member came to write no longer, and when, by the clock of the person who signed the entry. */
export interface WritingEnd {
  readonly how: "removed" | "role" | "key";
  readonly writtenAt: string;
  /** An owner or a manager now, whatever they were in between: they can be asked. */
  readonly stillWrites: boolean;
}

/** The first entry after this head that has ended that a member writes, or what they sign with the key that they had. */
export function findWritingEnd(
  list: VerifiedList,
  { id, since }: { readonly id: string; readonly since: Pick<ListHead, "number"> },
): WritingEnd | undefined {
  const end = findChanges(list, since.number).find((change) => change.before.id === id && endsWriting(change));
  if (end === undefined) return undefined;
  const { after, writtenAt } = end;
  const now = list.members.get(id);
  const stillWrites = now !== undefined && mayWrite(now);
  return { how: after === undefined ? "removed" : mayWrite(after) ? "key" : "role", writtenAt, stillWrites };
}

/** Ids of members who could read until an entry after `from`, up to and including `to`, took that from them, or gave them another recipient, by anybody. */
export function findChangedReaders(list: VerifiedList, from: number, to?: number): ReadonlySet<string> {
  return idsOf(findChanges(list, from, to).filter((change) => isLeaving(change) || hasOtherRecipient(change)));
}

/** Ids of readers who were changed or removed by an entry after the list of this revision. */
export function findOutdated(content: EnvelopeContent, list: VerifiedList): readonly string[] {
  const left = findChangedReaders(list, content.list.number);
  return content.readers.map(({ id }) => id).filter((id) => left.has(id));
}
