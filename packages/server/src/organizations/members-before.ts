import type { AccountId } from "@sealpost/wire";
import { mayManage, type Role } from "../access/roles.ts";
import type { MemberChange, Membership } from "./member-change-store.ts";
import type { Member } from "./organization.ts";

/** A move of a person's account to another address, which can be undone or was. What the account does in this time is suspected. */
export interface Mover {
  readonly personId: AccountId;
  /** When the move began. A thief is likely to have been in the account before: `since` is earlier. */
  readonly begunAt: number;
  readonly since: number;
  /** When it was undone. The account is its person's again from then on, and what the undoing changed is replayed from the rest. */
  readonly undoneAt?: number | undefined;
}

/** The move that is undone, and those that were undone before. Itself may be among them. */
export interface Movers {
  readonly undone: Mover;
  readonly all: readonly Mover[];
}

type Members = ReadonlyMap<AccountId, Membership & Pick<Member, "isDisabled" | "isLeaving">>;

/**
 * - `left`: these owners decide by hand; nobody's membership changes. `members` says where each would differ.
 * - `restored`: nobody is left to decide, so `members` become so. At least one of them is an owner.
 * - `none`: the mover has given or taken nothing, or nobody could be made an owner who was one without them.
 */
export type UndoDecision =
  | { readonly kind: "left"; readonly owners: readonly AccountId[]; readonly members: MembersBefore }
  | { readonly kind: "restored"; readonly members: MembersBefore }
  | { readonly kind: "none" };

/** Memberships as they would be without the mover; `undefined`: no member. */
export type MembersBefore = ReadonlyMap<AccountId, Membership | undefined>;

/**
 * The outcome of undoing a move for the members of an organization. `changes`: all since the mover is suspected, `current`: all members,
 * `gone`: people in these changes whose account was deleted since. What they did counts as they made it, and nobody brings them back.
 */
export function decideUndo(
  changes: readonly MemberChange[],
  current: Members,
  movers: Movers,
  gone: ReadonlySet<AccountId>,
): UndoDecision {
  const without = findMembersBefore(changes, current, movers);
  const members = new Map([...without].filter(([one]) => !gone.has(one)));
  const owners = listDeciding(members, current, movers.undone.personId);
  if (owners.length > 0) return { kind: "left", owners, members };
  const isOwned = [...new Set([...current.keys(), ...members.keys()])].some((one) =>
    isOwner(findWithout(members, current, one)),
  );
  return isOwned ? { kind: "restored", members } : { kind: "none" };
}

/**
 * The owners who can decide: they are not disabled, do not delete their account, are not the mover, and would be owners without any mover
 * too, as the rule of the last owner asks. What the mover might take back by a link, and a thief of the account has done, look alike;
 * these owners know which it was.
 */
export function listDeciding(
  members: MembersBefore,
  current: Members,
  mover: AccountId | undefined,
): readonly AccountId[] {
  return [...current.keys()].filter((one) => {
    const member = current.get(one);
    const stays = member?.isDisabled === false && !member.isLeaving && one !== mover;
    return stays && isOwner(member) && isOwner(findWithout(members, current, one));
  });
}

function isOwner(member: Membership | undefined): boolean {
  return member?.role === "owner" && member.unprovenAddress === undefined;
}

/**
 * The memberships that an organization would have if the mover, and all others whose move was undone, had changed nothing in it: of
 * everybody whom one of the changes concerns. The changes are replayed, and one counts if who made it could have made it without the
 * movers: by what these gave them they decide nothing, and what these took from them does not silence them. Those of before are left out
 * as well: of two thieves each would else decide about the other, and by undoing a move of their own they would turn what they have given
 * into a decision. Nobody's leaving is taken back but the mover's own, and of the mover's membership nothing from
 * before the move began: the link gives the mover no role that they did not have then, and that nobody else gave them since.
 */
export function findMembersBefore(
  changes: readonly MemberChange[],
  current: Members,
  { undone, all }: Movers,
): MembersBefore {
  const members = new Map<AccountId, Membership | undefined>();
  const moves = [undone, ...all];
  if (!changes.some((change) => moves.some((move) => isMadeIn(move, change)))) return members;
  for (const { personId, before } of changes) if (!members.has(personId)) members.set(personId, before);
  const afters = listAfter(changes, current);
  const suspects = Map.groupBy(moves, ({ personId }) => personId);
  for (const [index, change] of changes.entries()) {
    const { personId, madeBy, at, before } = change;
    const after = afters[index];
    const isSettled = personId === undone.personId && at < undone.begunAt;
    const isOwn = madeBy === personId && after === undefined;
    const isSuspected = madeBy !== undefined && suspects.get(madeBy)?.some((move) => isMadeIn(move, change));
    if (isSuspected && !isSettled && !(isOwn && personId !== undone.personId)) continue;
    // Operators do what owners do.
    const maker = madeBy === undefined ? "owner" : findWithout(members, current, madeBy)?.role;
    if (isSettled || isOwn || decides(maker, { before, after, wanted: members.get(personId) }))
      members.set(personId, after);
  }
  return members;
}

function isMadeIn({ personId, since, undoneAt = Number.POSITIVE_INFINITY }: Mover, change: MemberChange): boolean {
  return change.madeBy === personId && change.at >= since && change.at <= undoneAt;
}

function findWithout(members: MembersBefore, current: Members, personId: AccountId): Membership | undefined {
  return members.has(personId) ? members.get(personId) : current.get(personId);
}

/** The membership after each change: that before the person's next one. In one walk: there may be a hundred thousand. */
function listAfter(changes: readonly MemberChange[], current: Members): readonly (Membership | undefined)[] {
  const next = new Map<AccountId, Membership | undefined>(current);
  const afters: (Membership | undefined)[] = [];
  for (const { personId, before } of changes.toReversed()) {
    afters.push(next.get(personId));
    next.set(personId, before);
  }
  return afters.reverse();
}

interface Step {
  readonly before: Membership | undefined;
  readonly after: Membership | undefined;
  /** The person's membership if no mover had changed anything. */
  readonly wanted: Membership | undefined;
}

function decides(maker: Role | undefined, { before, after, wanted }: Step): boolean {
  if (maker === undefined) return false;
  const mayGive = [wanted, after].every((one) => one === undefined || mayManage(maker, one.role));
  if (!mayGive || before === undefined || after === undefined) return mayGive;
  // Other forms, which say nothing about a role that a mover gave.
  if (before.role === after.role) return wanted?.role === before.role;
  // Only owners decide that somebody stays whom a mover brought in.
  return wanted !== undefined || maker === "owner";
}
