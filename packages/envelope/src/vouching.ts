import { entriesOf, type VerifiedList } from "./list.ts";
import type { Edges, ListEntry, OwnWord } from "./list-entry.ts";
import { apply } from "./list-rules.ts";
import { type ListedMember, mayWrite, type Unnamed } from "./member.ts";

/** Somebody else vouches for each of these of a member, by an edge of its own. SPECIFICATION.md section 14. */
export const kinds = ["keys", "role", "name"] as const;
export type Kind = (typeof kinds)[number];

type MemberEdges = Record<Kind, readonly string[]> & { ownWord: readonly OwnWord[] };

/** An edge that leads nowhere: it was cut, or nobody has set it. */
const nowhere: readonly string[] = [];

/**
 * Where the edges of the present members lead, by their ids; as they would after these were `removed` as well. Of a list whose earlier parts were received
 * too, what those say counts.
 */
export function findEdges(list: VerifiedList, removed: readonly string[] = []): ReadonlyMap<string, Edges> {
  return walk(entriesOf(list), removed);
}

/** As the newest part alone says it. That is all that the service looks at, so the next part has to say of carried members what this says. */
export function findEdgesOfPart(list: VerifiedList): ReadonlyMap<string, Edges> {
  const entries = entriesOf(list);
  const begun = entries.findLastIndex(({ change }) => change === "begin");
  return walk(entries.slice(Math.max(0, begun)));
}

function walk(entries: readonly ListEntry[], removed: readonly string[] = []): ReadonlyMap<string, Edges> {
  const members = new Map<string, ListedMember>();
  const edges = new Map<string, MemberEdges>();
  let before: ReadonlyMap<string, Carried> | undefined;
  for (const [index, entry] of entries.entries()) {
    if (entry.change === "begin" && index > 0) before = remember(members, edges);
    else if (entry.change !== "begin") cutEdges(edges, members, entry);
    const known = pick(members, entry);
    apply(members, entry, (member) => member);
    if (entry.change === "begin") edges.clear();
    setEdges(edges, entry, { known, before, founder: founderOf(entries) });
    // Nobody else is carried into the part any more.
    if (entry.change !== "begin" && entry.change !== "carry") continue;
    if (entries[index + 1]?.change !== "carry") cutMissing(edges, members, before);
  }
  for (const id of removed) {
    cutEdgesTo(edges, id);
    edges.delete(id);
  }
  return edges;
}

/** A member as the part before had them, with their edges. */
interface Carried {
  readonly member: ListedMember;
  readonly edges: MemberEdges;
}

function remember(members: ReadonlyMap<string, ListedMember>, edges: ReadonlyMap<string, MemberEdges>) {
  return new Map(
    [...members].flatMap(([id, member]) => {
      const own = edges.get(id);
      return own === undefined ? [] : [[id, { member, edges: own }] as const];
    }),
  );
}

function cutEdges(edges: Map<string, MemberEdges>, members: ReadonlyMap<string, ListedMember>, entry: ListEntry): void {
  const id = cutBy(members, entry);
  if (id !== undefined) cutEdgesTo(edges, id);
}

/** The members whose edges an entry cuts: one who is removed, stops being an owner or manager, or is given another signing key by somebody else. */
function cutBy(members: ReadonlyMap<string, ListedMember>, entry: ListEntry): string | undefined {
  if (entry.change !== "remove" && entry.change !== "replace") return undefined;
  const { id } = entry.member;
  const known = members.get(id);
  if (known === undefined) return undefined;
  const after = entry.change === "remove" ? undefined : entry.member;
  const hasLostRole = after !== undefined && mayWrite(known) && !mayWrite(after);
  const hasOtherKey = after?.signingKey !== known.signingKey && entry.signedBy !== id;
  return after === undefined || hasLostRole || hasOtherKey ? id : undefined;
}

/** Ids of the members whose edges were cut by an entry after `from`, up to and including `to`. */
export function findCut(list: VerifiedList, from: number, to: number = list.head.number): ReadonlySet<string> {
  const entries = entriesOf(list);
  const members = new Map<string, ListedMember>();
  const cut = new Set<string>();
  let before: ReadonlyMap<string, ListedMember> = new Map();
  for (const [index, entry] of entries.entries()) {
    if (entry.number > to) break;
    const isLater = entry.number > from;
    const id = cutBy(members, entry);
    if (isLater && id !== undefined) cut.add(id);
    if (entry.change === "begin") before = new Map(members);
    apply(members, entry, (member) => member);
    const isCarrying = entry.change === "begin" || entry.change === "carry";
    if (!isLater || !isCarrying || entries[index + 1]?.change === "carry") continue;
    for (const [one, had] of before) if (!isSameBacker(had, members.get(one))) cut.add(one);
  }
  return cut;
}

function isSameBacker(had: ListedMember, member: ListedMember | undefined): boolean {
  if (member === undefined) return false;
  return had.signingKey === member.signingKey && (mayWrite(member) || !mayWrite(had));
}

function cutEdgesTo(edges: ReadonlyMap<string, MemberEdges>, id: string): void {
  for (const own of edges.values()) for (const kind of kinds) if (own[kind].includes(id)) own[kind] = nowhere;
}

/** Edges of the part before lead to nobody who was left out, or came into this one with another signing key or without their role. */
function cutMissing(
  edges: Map<string, MemberEdges>,
  members: ReadonlyMap<string, ListedMember>,
  before: ReadonlyMap<string, Carried> | undefined,
): void {
  const isThere = (id: string) => {
    const [member, had] = [members.get(id), before?.get(id)?.member];
    return had === undefined ? member !== undefined : isSameBacker(had, member);
  };
  for (const [id, own] of edges)
    for (const kind of kinds) if (!own[kind].every((backer) => backer === id || isThere(backer))) own[kind] = nowhere;
}

/** The members who matter to an entry: a copy of all of them for each entry would take seconds. */
function pick(members: ReadonlyMap<string, ListedMember>, entry: ListEntry): ReadonlyMap<string, ListedMember> {
  const known = new Map<string, ListedMember>();
  for (const id of [entry.signedBy, ...("member" in entry ? [entry.member.id] : [])]) {
    const member = members.get(id);
    if (member !== undefined) known.set(id, member);
  }
  return known;
}

interface Before {
  /** The signer and the member it is about, before the entry. */
  readonly known: ReadonlyMap<string, ListedMember>;
  /** Those of the part before, where it was received. */
  readonly before: ReadonlyMap<string, Carried> | undefined;
  readonly founder: string | undefined;
}

/** The member that the list begins with, as far back as it was received. */
function founderOf([first]: readonly ListEntry[]): string | undefined {
  return first !== undefined && "member" in first ? first.member.id : undefined;
}

function setEdges(edges: Map<string, MemberEdges>, entry: ListEntry, { known, before, founder }: Before): void {
  switch (entry.change) {
    case "note":
    case "name":
      return;
    case "remove":
      edges.delete(entry.member.id);
      return;
    case "vouch":
      for (const id of entry.members)
        vouch(edges.get(id), entry.signedBy, known.get(entry.signedBy), id === founder ? id : undefined);
      return;
    case "begin":
      edges.set(entry.member.id, beginEdges(entry, before));
      return;
    case "carry":
      edges.set(entry.member.id, carryEdges(entry, before));
      return;
    case "add":
      // The founder's lead to the founder, who signs.
      edges.set(entry.member.id, toAll(backersOf(entry)));
      return;
    case "replace": {
      const own = edges.get(entry.member.id);
      const former = known.get(entry.member.id);
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
  entry: ListEntry & { readonly change: "add" | "replace" },
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
 * else is vouched for stay: those of `founder` to themself, as long as keys and role both lead there.
 */
function vouch(
  own: MemberEdges | undefined,
  signer: string,
  { role }: Pick<Unnamed, "role"> = { role: "reader" },
  founder?: string,
): void {
  if (own === undefined) return;
  const leadsToFounder = (kind: Kind) => own[kind].length === 1 && own[kind][0] === founder;
  const isRoot = leadsToFounder("keys") && leadsToFounder("role");
  for (const kind of kinds) {
    const isMissing = own[kind].length === 0 || own.ownWord.some((word) => word === kind);
    if (role === "owner" || isMissing) set(own, kind, isRoot && leadsToFounder(kind) ? own[kind] : [signer]);
  }
}

/**
 * Nobody is vouched for by beginning a part: an owner keeps the edges of the part before, where it was received, and values that they change by it are their own
 * word. Those of an owner by a recovery key lead to that key.
 */
function beginEdges(
  { member, signedBy }: Pick<ListEntry & { readonly change: "begin" }, "member" | "signedBy">,
  before: ReadonlyMap<string, Carried> | undefined,
): MemberEdges {
  if (before === undefined) return toAll([member.id]);
  const had = before.get(member.id);
  if (had === undefined || signedBy !== member.id) return toAll([signedBy]);
  return { ...had.edges, ownWord: toOwnWord([...had.edges.ownWord, ...changedBetween(had.member, member)]) };
}

/**
 * Where the part before was received, the edges that the member had there; one whose value is another than there leads to the signer, and so do all of somebody
 * who was not there.
 */
function carryEdges(
  { edges: said, member, signedBy }: Pick<ListEntry & { readonly change: "carry" }, "edges" | "member" | "signedBy">,
  before: ReadonlyMap<string, Carried> | undefined,
): MemberEdges {
  if (before === undefined) return { ...said };
  const had = before.get(member.id);
  if (had === undefined) return toAll([signedBy]);
  const own = { ...had.edges };
  for (const kind of changedBetween(had.member, member)) set(own, kind, [signedBy]);
  return own;
}

function changedBetween(one: ListedMember, other: ListedMember): readonly Kind[] {
  const hasOtherKeys = one.recipient !== other.recipient || one.signingKey !== other.signingKey;
  const isChanged = { keys: hasOtherKeys, role: one.role !== other.role, name: one.name !== other.name };
  return kinds.filter((kind) => isChanged[kind]);
}

function toOwnWord(words: readonly Kind[]): readonly OwnWord[] {
  return (["keys", "name"] as const).filter((word) => words.includes(word));
}

interface VouchingCase {
  readonly confirmed?: ReadonlySet<string>;
  readonly removed?: readonly string[];
  readonly begunBy?: string | undefined;
}

/**
 * The members who are vouched for: the one with the keys that are open here; the one that the list begins with, as far back as it was received, as long as the
 * edges of keys and role lead to themself; those whom the user of this device has confirmed on it (`confirmed`); and those each of whose edges leads somewhere, and to nobody else than
 * these. Members who vouch for each other in a circle are not. With `removed`: as it would be without these. With `begunBy`: as it would be for a device that
 * receives nothing but another part, which this owner begins.
 */
export function findVouched(
  list: VerifiedList,
  own?: Pick<Unnamed, "recipient" | "signingKey">,
  { confirmed, removed = [], begunBy }: VouchingCase = {},
): ReadonlySet<string> {
  const members = new Map([...list.members].filter(([id]) => !removed.includes(id)));
  const edges =
    begunBy === undefined ? findEdges(list, removed) : new Map([...findEdgesOfPart(list), [begunBy, toAll([begunBy])]]);
  const founder = begunBy ?? founderOf(entriesOf(list));
  const isSelf = ({ recipient, signingKey }: Unnamed) =>
    own !== undefined && recipient === own.recipient && signingKey === own.signingKey;
  const leadsOnlyTo = (id: string, isRight: (backer: string) => boolean, of: readonly Kind[] = kinds) =>
    of.every((kind) => (edges.get(id)?.[kind].length ?? 0) > 0 && edges.get(id)?.[kind].every(isRight));
  const vouched = new Set(
    [...members].flatMap(([id, member]) =>
      isSelf(member) ||
      confirmed?.has(id) ||
      (id === founder && leadsOnlyTo(id, (backer) => backer === id, ["keys", "role"]))
        ? [id]
        : [],
    ),
  );
  for (let count = -1; count !== vouched.size; ) {
    count = vouched.size;
    for (const id of members.keys()) if (leadsOnlyTo(id, (backer) => vouched.has(backer))) vouched.add(id);
  }
  return vouched;
}
