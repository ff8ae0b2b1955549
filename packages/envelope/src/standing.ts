import type { PublicHalves } from "./key-copy.ts";
import { entriesOf, type VerifiedList } from "./list.ts";
import type { ListEntry, UsedAdmission } from "./list-entry.ts";
import { findLastChanged } from "./list-history.ts";
import type { Member, Unnamed } from "./member.ts";
import { hashOf } from "./text.ts";
import { findBackings, findEdges, findVouched, type Kind, kinds, type PlannedChange } from "./vouching.ts";

// For whom a writer may seal: SPECIFICATION.md section 14, "Who vouches". A list stays valid when somebody leaves it, and so does everything that they have
// signed; what depends on vouching is what is sealed from then on.

/** A member whom the user of a device has confirmed on it. Once they had another key or role, or were removed, they have to be confirmed again. */
export interface ConfirmedMember extends Pick<Member, "id" | "role" | "signingKey"> {
  /** Base64url of SHA-256 of the recipient's text. */
  readonly fingerprint: string;
  /** The number of the list's last entry then. */
  readonly entry: number;
}

/** All that a device knows about members besides the list. */
export interface Standing {
  /** The public halves of the key that is open here. */
  readonly own: Pick<Member, "recipient" | "signingKey"> | PublicHalves;
  readonly confirmed?: readonly ConfirmedMember[];
}

/** Base64url of SHA-256 of the recipient's text, by which people compare keys. */
export function recipientFingerprint({ recipient }: Pick<Unnamed, "recipient">): Promise<string> {
  return hashOf(recipient);
}

export async function toConfirmed({ head }: Pick<VerifiedList, "head">, member: Unnamed): Promise<ConfirmedMember> {
  const { id, role, signingKey } = member;
  return { id, role, signingKey, fingerprint: await recipientFingerprint(member), entry: head.number };
}

/** Ids of the members for whom something may be sealed here. */
export async function findSealable(list: VerifiedList, { own, confirmed }: Standing): Promise<ReadonlySet<string>> {
  return findVouched(list, own, { confirmed: await findConfirmed(list, confirmed) });
}

async function findConfirmed(list: VerifiedList, confirmed: readonly ConfirmedMember[] = []) {
  const ids = new Set<string>();
  const changed = confirmed.length === 0 ? new Map<string, number>() : findLastChanged(list);
  for (const { id, role, signingKey, fingerprint, entry } of confirmed) {
    const member = list.members.get(id);
    if (member === undefined || member.role !== role || member.signingKey !== signingKey) continue;
    // They have been another one since, or gone, and somebody has made them what they were: that this device knew them is no word for it.
    if ((changed.get(id) ?? 0) > entry) continue;
    if ((await recipientFingerprint(member)) === fingerprint) ids.add(id);
  }
  return ids;
}

/** Somebody for whom nothing may be sealed, or no longer, until the user has said something about them. */
export interface Unvouched {
  readonly member: Member;
  /** The edges that lead to nobody who is vouched for. */
  readonly edges: readonly Kind[];
  /** The last entry in which somebody else than the member has vouched for one of these. Its time is its writer's word. */
  readonly entry: Pick<ListEntry, "number" | "writtenAt"> | undefined;
  /** The id of the member who let them in, or gave them their keys, in this tree; `undefined` where nobody in it did. */
  readonly under: string | undefined;
  /** 0 for the first row below those who leave. */
  readonly depth: number;
}

/** A change that takes something from a present member: they are gone, or another by it. */
export type LessenedMember =
  | { readonly change: "remove"; readonly member: Pick<Member, "id"> }
  | { readonly change: "replace"; readonly member: Unnamed; readonly admission?: UsedAdmission | null };

/**
 * The members who would lose everybody vouching for them if the person here signed these changes: as a tree, each right after the one above. Without
 * changes, the members for whom nobody vouches now. One of the changes may put the open key in the place of the person's former one.
 */
export async function findUnvouched(
  list: VerifiedList,
  { own, confirmed }: Standing,
  changes: readonly LessenedMember[] = [],
): Promise<readonly Unvouched[]> {
  const known = await findConfirmed(list, confirmed);
  const self = findSelf(list, own, changes);
  const planned = toPlanned(list, self, changes);
  const before = planned.length === 0 ? undefined : findVouched(list, own, { confirmed: new Set([...known, self]) });
  // Whom an entry changes has to be confirmed again.
  const still = new Set([...known].filter((id) => !changes.some(({ member }) => member.id === id)));
  const after = findVouched(list, own, { confirmed: still, planned });
  const removed = new Set(changes.flatMap(({ change, member }) => (change === "remove" ? [member.id] : [])));
  const lost = [...list.members.values()].filter(
    ({ id }) => !after.has(id) && !removed.has(id) && before?.has(id) !== false,
  );
  const edges = findEdges(list);
  const left = findEdges(list, planned);
  const isLost = (sets: readonly (readonly string[])[] = []) => !sets.some((ids) => ids.every((id) => after.has(id)));
  const lostKinds = (id: string) => kinds.filter((kind) => isLost(left.get(id)?.[kind]));
  const backings = findBackings(list);
  const entries = entriesOf(list);
  const findEntry = (id: string) => {
    const numbers = lostKinds(id).flatMap((kind) => backings.get(id)?.[kind].map(({ entry }) => entry) ?? []);
    return entries[numbers.reduce((newest, number) => Math.max(newest, number), 0) - 1];
  };
  const rows: Unvouched[] = [];
  const isPlaced = (id: string) => rows.some(({ member }) => member.id === id);
  const place = (member: Member, under: string | undefined, depth: number): void => {
    if (isPlaced(member.id)) return;
    rows.push({ member, under, depth, edges: lostKinds(member.id), entry: findEntry(member.id) });
    for (const other of lost) if (isUnder(other, member.id)) place(other, member.id, depth + 1);
  };
  const isUnder = ({ id }: Member, above: string) =>
    kinds.some((kind) => edges.get(id)?.[kind].some((ids) => ids.includes(above)));
  for (const { member: above } of changes)
    for (const member of lost) if (member.id !== above.id && isUnder(member, above.id)) place(member, above.id, 0);
  const isAbove = (one: Member) => !lost.some(({ id }) => id !== one.id && isUnder(one, id));
  for (const member of lost.filter(isAbove)) place(member, undefined, 0);
  for (const member of lost) place(member, undefined, 0);
  return rows;
}

/** The id of the person here, also by the key that takes the place of theirs; empty where they are nobody in the list. */
function findSelf({ members }: VerifiedList, own: Standing["own"], changes: readonly LessenedMember[]): string {
  const isOwn = ({ recipient, signingKey }: Pick<Unnamed, "recipient" | "signingKey">) =>
    recipient === own.recipient && signingKey === own.signingKey;
  const replaced = changes.flatMap((one) => (one.change === "replace" && isOwn(one.member) ? [one.member.id] : []));
  return [...members.values()].find(isOwn)?.id ?? replaced[0] ?? "";
}

/** The same changes as entries of the person here. Names stay, as nobody is shown for one. */
function toPlanned(
  { members }: VerifiedList,
  signedBy: string,
  changes: readonly LessenedMember[],
): readonly PlannedChange[] {
  return changes.flatMap((one): readonly PlannedChange[] => {
    const known = members.get(one.member.id);
    if (known === undefined) return [];
    if (one.change === "remove") return [{ change: "remove", member: { id: known.id }, admission: null, signedBy }];
    const { id, role, recipient, signingKey } = one.member;
    const member = { id, name: known.commitment, role, recipient, signingKey };
    return [{ change: "replace", member, admission: one.admission ?? null, signedBy }];
  });
}
