import { entriesOf, type VerifiedList } from "./list.ts";
import type { ListEntry, WrittenChange } from "./list-entry.ts";
import { changeBy, findChanges, type MemberChange } from "./list-history.ts";
import { apply } from "./list-rules.ts";
import { isUnderManagers, type ListedMember, type Unnamed } from "./member.ts";

/** Somebody else vouches for each of these of a member, by an edge of its own. SPECIFICATION.md section 14. */
export const kinds = ["keys", "role", "name"] as const;
export type Kind = (typeof kinds)[number];

const ownWords = ["keys", "name"] as const;
export type OwnWord = (typeof ownWords)[number];

/** The members that each edge of a member leads to, at most two, ascending; and the values that the member alone has set since. */
export type Edges = Readonly<MemberEdges>;
type MemberEdges = Record<Kind, readonly string[]> & { ownWord: readonly OwnWord[] };

/** An edge that leads nowhere: it was cut. */
const nowhere: readonly string[] = [];

/** A change that somebody is about to sign. */
export type PlannedChange = Pick<ListEntry, "signedBy"> &
  Extract<WrittenChange, { readonly change: "remove" | "replace" | "add" }>;

/** Where the edges of the present members lead, by their ids; as they would after these changes as well. */
export function findEdges(list: VerifiedList, planned: readonly PlannedChange[] = []): ReadonlyMap<string, Edges> {
  const members = new Map<string, ListedMember>();
  const edges = new Map<string, MemberEdges>();
  for (const entry of [...entriesOf(list), ...planned]) {
    const change = changeBy(members, entry);
    if (change !== undefined) cutEdges(edges, change, members);
    setEdges(edges, entry, members);
    apply(members, entry, (member) => member);
  }
  return edges;
}

/** Whether the edges of another member, or their own, that lead to the changed one lead nowhere from then on: they could not be set so by who that one is now. */
function isCutting({ before, after, signedBy }: MemberChange, { role }: Pick<Unnamed, "role">): boolean {
  if (after === undefined) return true;
  if (after.signingKey !== before.signingKey && signedBy !== before.id) return true;
  if (after.role === before.role || after.role === "owner") return false;
  return after.role !== "manager" || !isUnderManagers({ role });
}

/** Ids of the members to whom no edge leads any longer by an entry after `from`, up to and including `to`. */
export function findCut(list: VerifiedList, from: number, to?: number): ReadonlySet<string> {
  const cutting = findChanges(list, from, to).filter((change) => isCutting(change, { role: "reader" }));
  return new Set(cutting.map(({ before }) => before.id));
}

/** `members`: those before the change. */
function cutEdges(
  edges: ReadonlyMap<string, MemberEdges>,
  change: MemberChange,
  members: ReadonlyMap<string, ListedMember>,
): void {
  for (const [id, own] of edges) {
    const member = members.get(id);
    if (member === undefined || !isCutting(change, member)) continue;
    for (const kind of kinds) if (own[kind].includes(change.before.id)) own[kind] = nowhere;
  }
}

/** `members`: those before the entry. */
function setEdges(
  edges: Map<string, MemberEdges>,
  entry: ListEntry | PlannedChange,
  members: ReadonlyMap<string, ListedMember>,
): void {
  switch (entry.change) {
    case "note":
    case "name":
      return;
    case "remove":
      edges.delete(entry.member.id);
      return;
    case "vouch":
      for (const id of entry.members) vouch(id, edges.get(id), entry.signedBy, members.get(entry.signedBy));
      return;
    case "add":
      // The founder's lead to the founder, who signs.
      edges.set(entry.member.id, toAll(backersOf(entry)));
      return;
    case "replace": {
      const own = edges.get(entry.member.id);
      const former = members.get(entry.member.id);
      if (own !== undefined && former !== undefined) replace(own, entry, former);
      return;
    }
    default:
      entry satisfies never;
  }
}

function toAll(ids: readonly string[]): MemberEdges {
  return { keys: ids, role: ids, name: ids, ownWord: [] };
}

/** Who signs, and who has made the admission that the entry uses up: ascending, each once. */
function backersOf({ signedBy, admission }: Pick<ListEntry, "signedBy" | "admission">): readonly string[] {
  return [...new Set([signedBy, ...(admission === null ? [] : [admission.maker])])].sort();
}

function replace(
  own: MemberEdges,
  entry: PlannedChange & { readonly change: "add" | "replace" },
  former: ListedMember,
): void {
  const changed = changedBetween(former, entry.member);
  if (entry.signedBy === former.id) {
    const words = changed.filter((kind) => kind !== "role");
    own.ownWord = toOwnWord([...own.ownWord, ...words]);
    return;
  }
  for (const kind of changed) set(own, kind, backersOf(entry));
}

function set(own: MemberEdges, kind: Kind, ids: readonly string[]): void {
  own[kind] = ids;
  own.ownWord = own.ownWord.filter((word) => word !== kind);
}

/**
 * An owner vouches for everything, a manager for what nobody does: where the edge leads nowhere, or the value is the member's own word. Edges by which everybody
 * else is vouched for stay: those of the founder to themself, as long as that of the keys leads there.
 */
function vouch(
  id: string,
  own: MemberEdges | undefined,
  signer: string,
  { role }: Pick<Unnamed, "role"> = { role: "reader" },
): void {
  if (own === undefined) return;
  const isRoot = isFounder(id, own);
  for (const kind of kinds) {
    const isMissing = own[kind].length === 0 || own.ownWord.some((word) => word === kind);
    if (role === "owner" || isMissing) set(own, kind, isRoot && leadsToSelf(id, own[kind]) ? own[kind] : [signer]);
  }
}

/** The member of entry 1, an owner since, whose keys nobody else has set: nobody else's edges lead to themself. */
function isFounder(id: string, { keys }: Edges): boolean {
  return leadsToSelf(id, keys);
}

function leadsToSelf(id: string, edge: readonly string[]): boolean {
  return edge.length === 1 && edge[0] === id;
}

function changedBetween(one: ListedMember, other: ListedMember): readonly Kind[] {
  const hasOtherKeys = one.recipient !== other.recipient || one.signingKey !== other.signingKey;
  const isChanged = { keys: hasOtherKeys, role: one.role !== other.role, name: one.name !== other.name };
  return kinds.filter((kind) => isChanged[kind]);
}

function toOwnWord(words: readonly Kind[]): readonly OwnWord[] {
  return ownWords.filter((word) => words.includes(word));
}

interface VouchingCase {
  readonly confirmed?: ReadonlySet<string>;
  readonly planned?: readonly PlannedChange[];
}

/**
 * The members who are vouched for: the one with the keys that are open here; the one that the list begins with, as long as the edge of the keys leads to
 * themself; those whom the user of this device has confirmed on it (`confirmed`); and those each of whose edges leads somewhere, and to nobody else than
 * these. Members who vouch for each other in a circle are not. With `planned`: as it would be after these changes.
 */
export function findVouched(
  list: VerifiedList,
  own?: Pick<Unnamed, "recipient" | "signingKey">,
  { confirmed, planned = [] }: VouchingCase = {},
): ReadonlySet<string> {
  const members = new Map<string, Unnamed>(list.members);
  for (const change of planned) apply<Unnamed>(members, change, (member) => member);
  const edges = findEdges(list, planned);
  const isSelf = ({ recipient, signingKey }: Unnamed) =>
    own !== undefined && recipient === own.recipient && signingKey === own.signingKey;
  const isBacked = (id: string) =>
    kinds.every(
      (kind) => (edges.get(id)?.[kind].length ?? 0) > 0 && edges.get(id)?.[kind].every((to) => vouched.has(to)),
    );
  const isRoot = (id: string) => isFounder(id, edges.get(id) ?? toAll([]));
  const vouched = new Set(
    [...members].flatMap(([id, member]) => (isSelf(member) || confirmed?.has(id) || isRoot(id) ? [id] : [])),
  );
  for (let count = -1; count !== vouched.size; ) {
    count = vouched.size;
    for (const id of members.keys()) if (isBacked(id)) vouched.add(id);
  }
  return vouched;
}
