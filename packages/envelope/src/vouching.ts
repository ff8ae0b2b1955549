import { entriesOf, type VerifiedList } from "./list.ts";
import type { ListEntry, WrittenChange } from "./list-entry.ts";
import { changeBy, findChanges, type MemberChange } from "./list-history.ts";
import { apply } from "./list-rules.ts";
import { isUnderManagers, type ListedMember, type Role, type Unnamed } from "./member.ts";

/** Somebody else vouches for each of these of a member, by an edge of its own. SPECIFICATION.md section 14. */
export const kinds = ["keys", "role", "name"] as const;
export type Kind = (typeof kinds)[number];

const ownWords = ["keys", "name"] as const;
export type OwnWord = (typeof ownWords)[number];

/**
 * Where each edge of a member leads: to sets of members, each at most two, ascending, any one of which is enough; none where all were cut. And the values that
 * the member alone has set since.
 */
export type Edges = Readonly<Record<Kind, readonly (readonly string[])[]>> & { readonly ownWord: readonly OwnWord[] };

/** Members who have vouched together, by one entry. */
export interface Backing {
  /** Its number. */
  readonly entry: number;
  /** Ascending. */
  readonly ids: readonly string[];
}

/** All who have vouched for the present value, or for those before that the member alone has changed; also those who were cut since. */
interface Edge {
  readonly backings: Backing[];
  /** The number of the last entry by which the member alone has set the value, or 0. */
  ownSince: number;
}

type MemberEdges = Record<Kind, Edge>;

/** A change that somebody is about to sign. */
export type PlannedChange = Pick<ListEntry, "signedBy"> &
  Extract<WrittenChange, { readonly change: "remove" | "replace" | "add" }>;

/** Where the edges of the present members lead, by their ids; as they would after these changes as well. */
export function findEdges(list: VerifiedList, planned: readonly PlannedChange[] = []): ReadonlyMap<string, Edges> {
  const walk = walkList(list, planned);
  return new Map([...walk.edges].map(([id, own]) => [id, toEdges(id, own, walk)]));
}

/** All who have ever vouched for the present keys, role and name of each member, by the ids of the members. Some were cut since. */
export function findBackings(list: VerifiedList): ReadonlyMap<string, Readonly<Record<Kind, readonly Backing[]>>> {
  const { edges } = walkList(list, []);
  return new Map(
    [...edges].map(([id, { keys, role, name }]) => [
      id,
      { keys: keys.backings, role: role.backings, name: name.backings },
    ]),
  );
}

function toEdges(id: string, own: MemberEdges, cuts: Cuts): Edges {
  const live = (kind: Kind) => own[kind].backings.filter((backing) => !isCut(cuts, id, backing));
  const toSets = (kind: Kind) => {
    const sets = new Map(live(kind).map(({ ids }) => [ids.join(" "), ids]));
    return [...sets.keys()].sort().map((key) => sets.get(key) ?? []);
  };
  const isOwn = (kind: OwnWord) =>
    own[kind].ownSince > 0 && !live(kind).some(({ entry }) => entry > own[kind].ownSince);
  return { keys: toSets("keys"), role: toSets("role"), name: toSets("name"), ownWord: ownWords.filter(isOwn) };
}

/** Entries that cut what members had vouched for, by the members' ids. It saves looking through all edges at each entry: a list has thousands of both. */
interface Cuts {
  /** The number of the last entry that cut all edges that led to them; of their own, where they are the founder, not if it is their own new key. */
  readonly all: Map<string, { ofOthers: number; ofFounder: number }>;
  /** The entries that gave them a role, ascending. */
  readonly roles: Map<string, GivenRole[]>;
  /** Results of `findLastAbove`, by both ids. */
  readonly lastAbove: Map<string, number>;
}

interface GivenRole {
  /** Its number. */
  readonly entry: number;
  readonly role: Role;
}

interface ListWalk extends Cuts {
  readonly edges: Map<string, MemberEdges>;
}

function walkList(list: VerifiedList, planned: readonly PlannedChange[]): ListWalk {
  const members = new Map<string, ListedMember>();
  const walk: ListWalk = {
    ...{ edges: new Map(), all: new Map(), roles: new Map(), lastAbove: new Map() },
  };
  for (const [index, entry] of [...entriesOf(list), ...planned].entries()) {
    const change = changeBy(members, entry);
    if (change !== undefined) noteCuts(walk, change, index + 1);
    setEdges(walk, entry, index + 1, members);
    apply(members, entry, (member) => member);
  }
  return walk;
}

/** Whether no edge that led to the changed member does any longer: none could be set so by who that one is now, or by who has the key now. */
function isCutting({ before, after }: MemberChange): boolean {
  if (after === undefined) return true;
  if (after.signingKey !== before.signingKey) return true;
  return after.role !== before.role && after.role !== "owner" && after.role !== "manager";
}

/** Ids of the members to whom no edge could lead any longer by an entry after `from`, up to and including `to`, whether one did or not. */
export function findCut(list: VerifiedList, from: number, to?: number): ReadonlySet<string> {
  const cutting = findChanges(list, from, to).filter(isCutting);
  return new Set(cutting.map(({ before }) => before.id));
}

function noteCuts({ all }: Cuts, change: MemberChange, entry: number): void {
  if (!isCutting(change)) return;
  const { before, after, signedBy } = change;
  const isOwnKey = signedBy === before.id && after?.role === before.role;
  all.set(before.id, { ofOthers: entry, ofFounder: isOwnKey ? (all.get(before.id)?.ofFounder ?? 0) : entry });
}

/** Whether one of these backers of a member has lost what they vouched by since they did, or the member has got a role for which that is not enough. */
function isCut(cuts: Cuts, memberId: string, { entry, ids }: Backing): boolean {
  return ids.some((id) => {
    const { ofOthers = 0, ofFounder = 0 } = cuts.all.get(id) ?? {};
    return (id === memberId ? ofFounder : ofOthers) > entry || findLastAbove(cuts, memberId, id) > entry;
  });
}

/**
 * The number of the last entry that gave one of the two a role, with which the member is an owner, a manager or a recovery key, and the backer can vouch for
 * none of these: whichever of them changed. 0 without one.
 */
function findLastAbove({ roles, lastAbove }: Cuts, memberId: string, backer: string): number {
  const key = `${memberId} ${backer}`;
  const known = lastAbove.get(key);
  if (known !== undefined) return known;
  const [given = [], held = []] = [roles.get(memberId), roles.get(backer)];
  let [at, other] = [given.length - 1, held.length - 1];
  let last = 0;
  while (last === 0) {
    const [one, two] = [given[at], held[other]];
    if (one === undefined || two === undefined) break;
    if (!isUnderManagers(one) && !backsEverybody(two)) last = Math.max(one.entry, two.entry);
    if (one.entry >= two.entry) at -= 1;
    if (two.entry >= one.entry) other -= 1;
  }
  lastAbove.set(key, last);
  return last;
}

/** Whether a member of this role backs owners, managers and recovery keys, too: a recovery key does by what it signs about them. */
function backsEverybody({ role }: GivenRole): boolean {
  return role === "owner" || role === "recovery";
}

/** `members`: those before the entry. */
function setEdges(
  { edges, roles }: ListWalk,
  entry: ListEntry | PlannedChange,
  number: number,
  members: ReadonlyMap<string, ListedMember>,
): void {
  switch (entry.change) {
    case "note":
    case "name":
      return;
    case "remove":
      edges.delete(entry.member.id);
      return;
    case "vouch": {
      const backing = { entry: number, ids: [entry.signedBy] };
      // Next to those who have vouched before: who leaves could otherwise take everybody along.
      for (const id of entry.members) for (const kind of kinds) edges.get(id)?.[kind].backings.push(backing);
      return;
    }
    case "add": {
      // The founder's lead to the founder, who signs.
      const backing = { entry: number, ids: backersOf(entry) };
      const edge = (): Edge => ({ backings: [backing], ownSince: 0 });
      edges.set(entry.member.id, { keys: edge(), role: edge(), name: edge() });
      noteRole(roles, entry.member, number);
      return;
    }
    case "replace": {
      const own = edges.get(entry.member.id);
      const former = members.get(entry.member.id);
      if (own === undefined || former === undefined) return;
      const changed = changedBetween(former, entry.member);
      const backing = { entry: number, ids: backersOf(entry) };
      const isLookedAt = isWhollyLookedAt(entry, former, members.get(entry.signedBy));
      for (const kind of kinds) {
        if (!changed.includes(kind)) {
          if (isLookedAt) own[kind].backings.push(backing);
        } else if (entry.signedBy === former.id) own[kind].ownSince = kind === "role" ? 0 : number;
        else own[kind] = { backings: [backing], ownSince: 0 };
      }
      if (former.role !== entry.member.role) noteRole(roles, entry.member, number);
      return;
    }
    default:
      entry satisfies never;
  }
}

function noteRole(roles: Cuts["roles"], { id, role }: { readonly id: string; readonly role: Role }, entry: number) {
  pushTo(roles, id, { entry, role });
}

function pushTo<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key) ?? [];
  values.push(value);
  map.set(key, values);
}

/** Who signs, and who has made the admission that the entry uses up: ascending, each once. */
function backersOf({ signedBy, admission }: Pick<ListEntry, "signedBy" | "admission">): readonly string[] {
  return [...new Set([signedBy, ...(admission === null ? [] : [admission.maker])])].sort();
}

/** The member of entry 1, an owner since, whose keys nobody else has set: nobody else's edges lead to themself. */
function isFounder(id: string, { keys }: Edges): boolean {
  return keys.some((ids) => ids.length === 1 && ids[0] === id);
}

/**
 * Whether the signer has looked at what stays as it was, too, and vouches for it: who lets somebody in, and who makes them an owner by paper, since a
 * recovery key writes no `vouch` after it.
 */
function isWhollyLookedAt(
  { admission, member }: Pick<ListEntry, "admission"> & { readonly member: ListedMember },
  former: ListedMember,
  signer: Pick<Unnamed, "role"> | undefined,
): boolean {
  return admission !== null || (signer?.role === "recovery" && former.role !== member.role);
}

function changedBetween(one: ListedMember, other: ListedMember): readonly Kind[] {
  const hasOtherKeys = one.recipient !== other.recipient || one.signingKey !== other.signingKey;
  const isChanged = { keys: hasOtherKeys, role: one.role !== other.role, name: one.name !== other.name };
  return kinds.filter((kind) => isChanged[kind]);
}

interface VouchingCase {
  /** Ids. */
  readonly confirmed?: ReadonlySet<string>;
  readonly planned?: readonly PlannedChange[];
}

/**
 * The members who are vouched for: the one with the keys that are open here; the one that the list begins with, as long as an edge of the keys leads to
 * themself; those whom the user of this device has confirmed on it (`confirmed`); and those of whose edges each leads to a set of nobody else than these.
 * Members who vouch for each other in a circle are not. With `planned`: as it would be after these changes.
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
  const roots = [...members].flatMap(([id, member]) => {
    const isRoot = isFounder(id, edges.get(id) ?? noEdges);
    return isSelf(member) || confirmed?.has(id) || isRoot ? [id] : [];
  });
  const vouched = new Set(roots);
  const backed = new Map<string, { readonly id: string; readonly kind: Kind; readonly ids: readonly string[] }[]>();
  for (const [id, own] of edges)
    for (const kind of kinds) for (const ids of own[kind]) for (const to of ids) pushTo(backed, to, { id, kind, ids });
  const led = new Map<string, Set<Kind>>();
  // A set grows while it is gone through: so each set of backers is looked at once for each of them, however long the chains are.
  for (const backer of vouched)
    for (const { id, kind, ids } of backed.get(backer) ?? []) {
      if (!ids.every((to) => vouched.has(to))) continue;
      const found = led.get(id) ?? new Set();
      led.set(id, found.add(kind));
      if (found.size === kinds.length) vouched.add(id);
    }
  return vouched;
}

const noEdges: Edges = { keys: [], role: [], name: [], ownWord: [] };
