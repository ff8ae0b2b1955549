import type { AccountId } from "@sealpost/wire";
import { mayManage, type Role } from "../access/roles.ts";
import type { MemberChange, Membership } from "./member-change-store.ts";

/**
 * The memberships that an organization would have if the suspect had changed nothing in it: of everybody whom one of the changes
 * concerns, with what they had before the first one. The changes are replayed, and one counts if who made it could have made it without
 * the suspect: by what the suspect gave them they decide nothing, and what the suspect took from them does not silence them. So an owner
 * of before who removes, lets in or raises somebody has done so, whatever the suspect did to either of them. `current` has the members
 * whom a change concerns, and those who made one.
 */
export function findMembersBefore(
  changes: readonly MemberChange[],
  current: ReadonlyMap<AccountId, Membership>,
  suspect: AccountId,
): ReadonlyMap<AccountId, Membership | undefined> {
  const wanted = new Map<AccountId, Membership | undefined>();
  for (const { personId, before } of changes) if (!wanted.has(personId)) wanted.set(personId, before);
  for (const [index, { personId, madeBy, before }] of changes.entries()) {
    if (madeBy === suspect) continue;
    const next = changes.slice(index + 1).find((later) => later.personId === personId);
    const after = next === undefined ? current.get(personId) : next.before;
    const isOwn = madeBy === personId && after === undefined;
    if (isOwn || decides(roleOf(madeBy), { before, after, wanted: wanted.get(personId) })) wanted.set(personId, after);
  }
  return wanted;

  function roleOf(maker: AccountId | undefined): Role | undefined {
    // Operators do what owners do.
    if (maker === undefined) return "owner";
    return (wanted.has(maker) ? wanted : current).get(maker)?.role;
  }
}

interface Step {
  readonly before: Membership | undefined;
  readonly after: Membership | undefined;
  /** The person's membership if the suspect had changed nothing. */
  readonly wanted: Membership | undefined;
}

function decides(maker: Role | undefined, { before, after, wanted }: Step): boolean {
  if (maker === undefined) return false;
  const mayGive = [wanted, after].every((one) => one === undefined || mayManage(maker, one.role));
  if (!mayGive || before === undefined || after === undefined) return mayGive;
  // Other forms, which say nothing about a role that the suspect gave.
  if (before.role === after.role) return wanted?.role === before.role;
  // Only owners decide that somebody stays whom the suspect brought in.
  return wanted !== undefined || maker === "owner";
}
