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
 * Takes back what somebody in a person's account has done to organizations since then, with whatever the people did whom they let in
 * (`members-before.ts`), and ends the invitations and admissions that the person made. The person's rights are locked. An organization
 * keeps one owner: the person, if they were one, and otherwise the last who is left.
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
  /** The person whose account it is. */
  readonly personId: AccountId;
  /** Their membership before, where they were an owner. */
  readonly owned: Membership | undefined;
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
    { organizationId, personId, since, actor }: Omit<Scope, "owned"> & { readonly since: number },
  ): Promise<void> {
    const changes = await listChanges(transaction, organizationId, since);
    const current = new Map<AccountId, Member>();
    for (const { personId: one } of changes) {
      const member = await members.find(transaction, organizationId, one);
      if (member !== undefined) current.set(one, member);
    }
    const wanted = [...findMembersBefore(changes, current, personId)];
    const own = changes.find((change) => change.personId === personId)?.before;
    const scope = { ...{ organizationId, actor, personId }, owned: own?.role === "owner" ? own : undefined };
    // Owners come first, so that there is one when others go.
    const [owners, others] = [
      wanted.filter(([, to]) => to?.role === "owner"),
      wanted.filter(([, to]) => to?.role !== "owner"),
    ];
    for (const [one, to] of [...owners, ...others.filter(([, to]) => to !== undefined)])
      if (to !== undefined) await bringBack(transaction, scope, one, to);
    const gone = others.flatMap(([one, to]) => (to === undefined ? [one] : []));
    for (const one of gone.toSorted((one) => (one === personId ? -1 : 0))) await takeOut(transaction, scope, one);
  }

  /** Whether somebody else owns the organization: the person does, if they did before and nobody is left who does. */
  async function hasOtherOwner(transaction: DatabaseTransaction, scope: Scope, member: AccountId): Promise<boolean> {
    const { organizationId, personId, owned } = scope;
    const isOwned = async () => (await members.countOtherOwners(transaction, organizationId, member)) > 0;
    if (await isOwned()) return true;
    if (owned === undefined || member === personId) return false;
    await bringBack(transaction, scope, personId, owned);
    return isOwned();
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
