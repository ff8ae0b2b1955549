import type { PublicHalves } from "./key-copy.ts";
import type { VerifiedList } from "./list.ts";
import type { Member, Unnamed } from "./member.ts";
import { hashOf } from "./text.ts";
import { findEdges, findVouched, type Kind, kinds } from "./vouching.ts";

// For whom a writer may seal: SPECIFICATION.md section 14, "Who vouches". A list stays valid when somebody leaves it, and so does everything that they have
// signed; what depends on vouching is what is sealed from then on.

/** A member whom the user of a device has confirmed on it. With another key, or another role, they have to be confirmed again. */
export interface ConfirmedMember extends Pick<Member, "id" | "role" | "signingKey"> {
  /** Base64url of SHA-256 of the recipient's text. */
  readonly fingerprint: string;
}

/** All that a device knows about members besides the list. */
export interface Standing {
  /** The public halves of the key that is open here. */
  readonly own: Pick<Member, "recipient" | "signingKey"> | PublicHalves;
  readonly confirmed?: readonly ConfirmedMember[];
}

export async function toConfirmed({ id, role, recipient, signingKey }: Unnamed): Promise<ConfirmedMember> {
  return { id, role, signingKey, fingerprint: await hashOf(recipient) };
}

/** Ids of the members for whom something may be sealed here. */
export async function findSealable(list: VerifiedList, { own, confirmed }: Standing): Promise<ReadonlySet<string>> {
  return findVouched(list, own, { confirmed: await findConfirmed(list, confirmed) });
}

async function findConfirmed({ members }: VerifiedList, confirmed: readonly ConfirmedMember[] = []) {
  const ids = new Set<string>();
  for (const { id, role, signingKey, fingerprint } of confirmed) {
    const member = members.get(id);
    if (member === undefined || member.role !== role || member.signingKey !== signingKey) continue;
    if ((await hashOf(member.recipient)) === fingerprint) ids.add(id);
  }
  return ids;
}

/** Somebody for whom nothing may be sealed, or no longer, until the user has said something about them. */
export interface Unvouched {
  readonly member: Member;
  /** The edges that lead to nobody who is vouched for. */
  readonly edges: readonly Kind[];
  /** The id of the member who let them in, or gave them their keys, in this tree; `undefined` where nobody in it did. */
  readonly under: string | undefined;
  /** 0 for the first row below those who leave. */
  readonly depth: number;
}

/**
 * The members who would lose everybody vouching for them if these left: as a tree, each right after the one above. Without `leaving`, the members for whom
 * nobody vouches now; with `begunBy`, those for whom nobody will on a device that receives another part alone, which this owner begins.
 */
export async function findUnvouched(
  list: VerifiedList,
  { own, confirmed }: Standing,
  leaving: readonly string[] = [],
  begunBy?: string,
): Promise<readonly Unvouched[]> {
  const known = await findConfirmed(list, confirmed);
  const before = leaving.length === 0 ? undefined : findVouched(list, own, { confirmed: known });
  const after = findVouched(list, own, { confirmed: known, removed: leaving, begunBy });
  const lost = [...list.members.values()].filter(
    ({ id }) => !after.has(id) && !leaving.includes(id) && before?.has(id) !== false,
  );
  const edges = findEdges(list);
  const lostKinds = (id: string) => kinds.filter((kind) => !(edges.get(id)?.[kind] ?? []).some((to) => after.has(to)));
  const rows: Unvouched[] = [];
  const isPlaced = (id: string) => rows.some(({ member }) => member.id === id);
  const place = (member: Member, under: string | undefined, depth: number): void => {
    if (isPlaced(member.id)) return;
    rows.push({ member, under, depth, edges: lostKinds(member.id) });
    for (const other of lost) if (isUnder(other, member.id)) place(other, member.id, depth + 1);
  };
  const isUnder = ({ id }: Member, above: string) => kinds.some((kind) => edges.get(id)?.[kind].includes(above));
  for (const id of leaving) for (const member of lost) if (isUnder(member, id)) place(member, id, 0);
  const isAbove = (one: Member) => !lost.some(({ id }) => id !== one.id && isUnder(one, id));
  for (const member of lost.filter(isAbove)) place(member, undefined, 0);
  for (const member of lost) place(member, undefined, 0);
  return rows;
}

/** Members an owner has to decide on before beginning a new part. */
export interface UnvouchedInPart {
  /** Those to ask about. */
  readonly rows: readonly Unvouched[];
  /** How many others are vouched for by these, once they are. */
  readonly following: number;
}

/**
 * Whom nobody will vouch for on a device that is new once this owner has begun another part of the list: for it the list begins with them. With
 * a word for each of the rows, everybody else is vouched for by the same members as until then, so nobody is asked about thousands.
 */
export async function findUnvouchedInPart(
  list: VerifiedList,
  standing: Standing,
  begunBy: string,
): Promise<UnvouchedInPart> {
  const all = await findUnvouched(list, standing, [], begunBy);
  const confirmed = await findConfirmed(list, standing.confirmed);
  const asked = new Set<string>();
  for (let rest = all; rest.length > 0; ) {
    const depth = rest.reduce((least, row) => Math.min(least, row.depth), Number.POSITIVE_INFINITY);
    for (const row of rest) if (row.depth === depth) asked.add(row.member.id);
    const vouched = findVouched(list, standing.own, { confirmed: new Set([...confirmed, ...asked]), begunBy });
    rest = rest.filter(({ member }) => !vouched.has(member.id));
  }
  return { rows: all.filter(({ member }) => asked.has(member.id)), following: all.length - asked.size };
}
