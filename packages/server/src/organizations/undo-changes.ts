import type { AccountId } from "@sealpost/wire";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import { endMade } from "./end-made.ts";
import { listChangedBy, listChanges, type Membership } from "./member-change-store.ts";
import { endMembership, type MemberChangeDependencies } from "./member-changes.ts";
import { findMembersBefore } from "./members-before.ts";
import { describeGrant, type Member } from "./organization.ts";

/**
 * Takes back what somebody in a person's account has done to organizations since then, with whatever others did by rights that came
 * from them (`members-before.ts`), and ends the invitations and admissions that the person made. The person's rights are locked. An
 * organization keeps one owner: where none of before is left, the last who is there.
 */
export type UndoChanges = (
  transaction: DatabaseTransaction,
  personId: AccountId,
  since: number,
  actor: AuditActor,
) => Promise<void>;

interface Scope {
  readonly organizationId: AccountId;
  readonly actor: AuditActor;
}

export function createUndoChanges(dependencies: MemberChangeDependencies): UndoChanges {
  const { members, sendSecurityMail, clock } = dependencies;

  return async (transaction, personId, since, actor) => {
    for (const organizationId of await listChangedBy(transaction, personId, since)) {
      for (const one of new Set(
        (await listChanges(transaction, organizationId, since)).map((change) => change.personId),
      ))
        if (one !== personId) await lockRightsOf(transaction, one, organizationId);
      await members.lock(transaction, organizationId);
      await undoIn(transaction, { organizationId, personId, since, actor });
    }
    const now = clock.now();
    for (const { id: organizationId } of await members.listOf(personId, transaction)) {
      await members.lock(transaction, organizationId);
      await endMade(transaction, dependencies, { organizationId, actor }, { personId, role: undefined }, now);
    }
  };

  async function undoIn(
    transaction: DatabaseTransaction,
    { organizationId, personId, since, actor }: Scope & { readonly personId: AccountId; readonly since: number },
  ): Promise<void> {
    const changes = await listChanges(transaction, organizationId, since);
    const current = new Map<AccountId, Member>();
    for (const one of new Set(changes.flatMap((change) => [change.personId, change.madeBy ?? []].flat()))) {
      const member = await members.find(transaction, organizationId, one);
      if (member !== undefined) current.set(one, member);
    }
    const wanted = [...findMembersBefore(changes, current, personId)];
    const scope = { organizationId, actor };
    // Owners come first, so that there is one when others go, and then the person: the last who is left stays.
    const isOwner = ([, to]: (typeof wanted)[number]) => to?.role === "owner";
    const isPerson = ([one]: (typeof wanted)[number]) => one === personId;
    const others = wanted.filter((one) => !isOwner(one));
    const inOrder = [...wanted.filter(isOwner), ...others.filter(isPerson), ...others.filter((one) => !isPerson(one))];
    for (const [one, to] of inOrder)
      if (to === undefined) await takeOut(transaction, scope, one);
      else await bringBack(transaction, scope, one, to);
  }

  async function hasOtherOwner(
    transaction: DatabaseTransaction,
    { organizationId }: Scope,
    member: AccountId,
  ): Promise<boolean> {
    return (await members.countOtherOwners(transaction, organizationId, member)) > 0;
  }

  async function takeOut(transaction: DatabaseTransaction, scope: Scope, personId: AccountId): Promise<void> {
    const { organizationId, actor } = scope;
    const member = await members.find(transaction, organizationId, personId);
    if (member === undefined) return;
    if (member.role === "owner" && !(await hasOtherOwner(transaction, scope, personId))) return;
    const by = { organizationId, actor, madeBy: undefined };
    await endMembership(transaction, dependencies, by, member, "member.removed");
  }

  async function bringBack(
    transaction: DatabaseTransaction,
    scope: Scope,
    personId: AccountId,
    { role, formIds, since, addedBy }: Membership,
  ): Promise<void> {
    const { organizationId: accountId, actor } = scope;
    const at = clock.now();
    const member = await members.find(transaction, accountId, personId);
    const grant = { role, formIds };
    const details = describeGrant(member, grant);
    if (details.changes.every(({ from, to }) => JSON.stringify(from) === JSON.stringify(to))) return;
    if (role !== "owner" && member?.role === "owner" && !(await hasOtherOwner(transaction, scope, personId))) return;
    const by = { madeBy: undefined, at };
    if (member === undefined)
      await members.add(transaction, { organizationId: accountId, personId, ...grant, since, addedBy }, by);
    else {
      await members.change(transaction, member, accountId, grant, by);
      await endMade(transaction, dependencies, { organizationId: accountId, actor }, { personId, role }, at);
    }
    const name = (await members.find(transaction, accountId, personId))?.name ?? "";
    const target = { type: "member", id: personId, name } as const;
    const [action, event] =
      member === undefined
        ? (["member.joined", "member_joined"] as const)
        : (["member.changed", "member_changed"] as const);
    await recordAction(transaction, { accountId, actor, action, occurredAt: at, target, details });
    await sendSecurityMail(transaction, { accountId, event, occurredAt: at });
  }
}
