import type { AccountId } from "@sealpost/wire";
import { mayManage } from "../access/roles.ts";
import type { MemberChange, Membership } from "./member-change-store.ts";

/**
 * The memberships that an organization would have if somebody had not been in a person's account: of everybody whom one of the changes
 * concerns. Changes by the suspect do not count, nor those by people whom the suspect has brought in or raised, and these in turn. All
 * others stay: an owner who removes somebody on purpose has done so.
 */
export function findMembersBefore(
  changes: readonly MemberChange[],
  current: ReadonlyMap<AccountId, Membership>,
  suspect: AccountId,
): ReadonlyMap<AccountId, Membership | undefined> {
  const suspects = new Set([suspect]);
  const wanted = new Map<AccountId, Membership | undefined>();
  for (const [index, { personId, madeBy, before }] of changes.entries()) {
    const next = changes.slice(index + 1).find((later) => later.personId === personId);
    const after = next === undefined ? current.get(personId) : next.before;
    if (!wanted.has(personId)) wanted.set(personId, before);
    if (madeBy !== undefined && suspects.has(madeBy)) {
      if (isRaised(before, after)) suspects.add(personId);
      // Who was brought in by a suspect stays out, whatever others have made of them since.
    } else if (before === undefined || wanted.get(personId) !== undefined) wanted.set(personId, after);
  }
  return wanted;
}

function isRaised(before: Membership | undefined, after: Membership | undefined): boolean {
  return after !== undefined && (before === undefined || !mayManage(before.role, after.role));
}
