import type { AccountId } from "@sealpost/wire";
import { mayManage, type Role } from "../access/roles.ts";
import type { MemberChange, Membership } from "./member-change-store.ts";
import type { Member } from "./organization.ts";

/** The person whose account was moved to another address, and when the move began. */
export interface Mover {
  readonly personId: AccountId;
  readonly begunAt: number;
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
  mover: Mover,
  gone: ReadonlySet<AccountId>,
): UndoDecision {
  const without = findMembersBefore(changes, current, mover);
  const members = new Map([...without].filter(([one]) => !gone.has(one)));
  const owners = listDeciding(members, current, mover);
  if (owners.length > 0) return { kind: "left", owners, members };
  const isOwned = [...new Set([...current.keys(), ...members.keys()])].some(
    (one) => findWithout(members, current, one)?.role === "owner",
  );
  return isOwned ? { kind: "restored", members } : { kind: "none" };
}

/**
 * The owners who can decide: they are not disabled, do not delete their account, are not the mover, and would be owners without the mover too, as the rule of the last owner asks. What the mover might take
 * back by a link, and a thief of the account has done, look alike; these owners know which it was.
 */
export function listDeciding(members: MembersBefore, current: Members, { personId }: Mover): readonly AccountId[] {
  return [...current.keys()].filter((one) => {
    const member = current.get(one);
    const isOwner = member?.role === "owner" && one !== personId;
    const stays = member?.isDisabled === false && !member.isLeaving;
    return isOwner && stays && findWithout(members, current, one)?.role === "owner";
  });
}

/**
 * The memberships that an organization would have if the mover had changed nothing in it: of everybody whom one of the changes
 * concerns. The changes are replayed, and one counts if who made it could have made it without the mover: by what the mover gave them they
 * decide nothing, and what the mover took from them does not silence them. Nobody's leaving is taken back but the mover's own, and of the
 * mover's membership nothing from before the move began: the link gives the mover no role
 * that they did not have then, and that nobody else gave them since.
 */
export function findMembersBefore(
  changes: readonly MemberChange[],
  current: Members,
  { personId: mover, begunAt }: Mover,
): MembersBefore {
  const members = new Map<AccountId, Membership | undefined>();
  if (changes.every(({ madeBy }) => madeBy !== mover)) return members;
  for (const { personId, before } of changes) if (!members.has(personId)) members.set(personId, before);
  const afters = listAfter(changes, current);
  for (const [index, { personId, madeBy, at, before }] of changes.entries()) {
    const after = afters[index];
    const isSettled = personId === mover && at < begunAt;
    if (madeBy === mover && !isSettled) continue;
    const isOwn = madeBy === personId && after === undefined;
    // Operators do what owners do.
    const maker = madeBy === undefined ? "owner" : findWithout(members, current, madeBy)?.role;
    if (isSettled || isOwn || decides(maker, { before, after, wanted: members.get(personId) }))
      members.set(personId, after);
  }
  return members;
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
  /** The person's membership if the mover had changed nothing. */
  readonly wanted: Membership | undefined;
}

function decides(maker: Role | undefined, { before, after, wanted }: Step): boolean {
  if (maker === undefined) return false;
  const mayGive = [wanted, after].every((one) => one === undefined || mayManage(maker, one.role));
  if (!mayGive || before === undefined || after === undefined) return mayGive;
  // Other forms, which say nothing about a role that the mover gave.
  if (before.role === after.role) return wanted?.role === before.role;
  // Only owners decide that somebody stays whom the mover brought in.
  return wanted !== undefined || maker === "owner";
}
