import type { ListEntry, UsedAdmission, WrittenChange } from "./list-entry.ts";
import { type ListedMember, mayChange, mayWrite, type Unnamed } from "./member.ts";

export const membersMax = 2048;
/** Each of them reads every envelope, so each takes a reader's place in all of them. */
export const recoveryKeysMax = 8;
/** No entry has a higher place: others than owners and recovery keys write at most 1,023 entries after each of theirs. SPECIFICATION.md section 14. */
export const placesMax = 1024;

/** Everything about the entries before that the rules ask. */
export interface ListBefore {
  readonly members: ReadonlyMap<string, Unnamed>;
  /** The place of the last entry; 0 before the first. */
  readonly place: number;
  /** The ids of the admissions that entries have used up. */
  readonly used: ReadonlySet<string>;
  /** The number of the last entry that added, replaced or removed a member, by their ids. */
  readonly changed: ReadonlyMap<string, number>;
}

/** Every entry is signed by a member as the entries before have it; the first by the owner whom it adds. */
export function findSigner(
  { members, place }: Pick<ListBefore, "members" | "place">,
  entry: ListEntry,
): Unnamed | undefined {
  if (place > 0) return members.get(entry.signedBy);
  return entry.change === "add" && entry.member.id === entry.signedBy ? entry.member : undefined;
}

/** The place of an entry that `signer` writes after one with this place. */
export function nextPlace(place: number, { role }: Pick<Unnamed, "role">): number {
  return role === "owner" || role === "recovery" ? 1 : place + 1;
}

/** Whether `signer` may write this entry after those before. */
export function isAllowed(before: ListBefore, signer: Unnamed, entry: ListEntry): boolean {
  // Others could write an entry after which no program of today continues the list.
  if (entry.critical.length > 0 && signer.role !== "owner") return false;
  if (nextPlace(before.place, signer) > placesMax) return false;
  if (entry.change === "note" || entry.change === "name") return signer.role === "owner";
  if (entry.change === "vouch")
    return entry.members.every((id) => mayVouch(before.members, signer, id) && isAsShown(before, id, entry.shown));
  const known = before.members.get(entry.member.id);
  const after = entry.change === "remove" ? undefined : entry.member;
  if ((known === undefined) !== (entry.change === "add")) return false;
  if (!isInOrder(before.members, entry.member.id, after)) return false;
  // The founder is an owner, since there is one always.
  if (before.place > 0 && !mayChange(signer, known, after)) return false;
  return entry.admission === null || after === undefined || mayUseAdmission(before, signer, entry.admission, after);
}

/** Owners vouch for everybody but themselves, managers for the members they may change. */
function mayVouch(members: ReadonlyMap<string, Unnamed>, signer: Unnamed, id: string): boolean {
  const member = members.get(id);
  if (member === undefined || id === signer.id) return false;
  return signer.role === "owner" || (signer.role === "manager" && mayChange(signer, member, member));
}

/** Somebody else may have given them another key while the person was asked, whose word is not for that. */
function isAsShown({ changed }: Pick<ListBefore, "changed">, id: string, shown: number): boolean {
  return (changed.get(id) ?? 0) <= shown;
}

/** Whether there is an owner, no key is there twice, and there are not too many, once `after` is in the place of the member with this id. */
function isInOrder(members: ReadonlyMap<string, Unnamed>, id: string, after: Unnamed | undefined): boolean {
  let [all, owners, recoveryKeys] = after === undefined ? [0, 0, 0] : countOf(after);
  // Without copies: thousands of members are looked at for each of as many entries.
  for (const [otherId, other] of members) {
    if (otherId === id) continue;
    const { recipient, signingKey, role } = other;
    const isUnique = recipient !== after?.recipient && (signingKey === null || signingKey !== after?.signingKey);
    if (!isUnique) return false;
    all += 1;
    if (role === "owner") owners += 1;
    if (role === "recovery") recoveryKeys += 1;
  }
  return owners > 0 && all <= membersMax && recoveryKeys <= recoveryKeysMax;
}

function countOf({ role }: Unnamed): readonly [all: number, owners: number, recoveryKeys: number] {
  return [1, Number(role === "owner"), Number(role === "recovery")];
}

/**
 * Each admission once, of a maker who could sign the entry, at whatever place: others would be named as the ones who let somebody in. Nobody is let in by
 * themself, and so nobody uses up another's admission with a key of their own.
 */
function mayUseAdmission(
  { members, used }: ListBefore,
  signer: Unnamed,
  { id, maker: makerId }: UsedAdmission,
  after: Unnamed,
): boolean {
  const maker = members.get(makerId);
  if (used.has(id) || maker === undefined || !mayWrite(maker)) return false;
  const isByOthers = signer.id !== after.id && makerId !== after.id;
  // Terms can't have another role: nobody answers for a program or on paper.
  if (after.role === "program" || after.role === "recovery") return false;
  return isByOthers && mayChange(maker, members.get(after.id), after);
}

/** The members after an entry, each as `toKnown` has them. */
export function apply<Known>(
  members: Map<string, Known>,
  entry: WrittenChange,
  toKnown: (member: ListedMember) => Known,
): void {
  if (!("member" in entry)) return;
  if (entry.change === "remove") members.delete(entry.member.id);
  else members.set(entry.member.id, toKnown(entry.member));
}
