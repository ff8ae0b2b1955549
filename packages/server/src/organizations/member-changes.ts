import type { AccountId } from "@sealpost/wire";
import { organizationNone } from "../access/access.ts";
import { mayManage } from "../access/roles.ts";
import type { ApiKeyStore } from "../api-keys/api-key-store.ts";
import { revokeApiKeys } from "../api-keys/revoke-api-keys.ts";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { endMade, type MadeDependencies } from "./end-made.ts";
import { type LeftWebhook, listLeftWebhooks } from "./left-webhooks.ts";
import { requireFewChanges } from "./member-change-bound.ts";
import { listConcerned } from "./member-change-store.ts";
import type { MemberStore } from "./member-store.ts";
import { describeGrant, type Grant, isOther, joinedMax, type Member, ownedMax } from "./organization.ts";
import type { OrganizationStore } from "./organization-store.ts";

export interface MemberChangeDependencies extends MadeDependencies {
  readonly database: Database;
  readonly members: MemberStore;
  readonly organizations: OrganizationStore;
  readonly apiKeys: ApiKeyStore;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** The member of an organization who changes something in it. */
export interface Acting {
  readonly organizationId: AccountId;
  readonly personId: AccountId;
  readonly actor: AuditActor;
}

/** Changes of members. Each holds the organization's row, and decides on what is there then: of two at once, one comes after the other. */
export interface MemberChanges {
  /** Gives a member another role or other named forms. */
  change(acting: Acting, personId: AccountId, grant: Partial<Grant>): Promise<ChangedMembership>;
  /** Ends a membership: sessions act for none, and the API keys that the person made here are revoked. */
  remove(acting: Acting, personId: AccountId): Promise<EndedMembership>;
  leave(acting: Acting): Promise<void>;
}

export function createMemberChanges(dependencies: MemberChangeDependencies): MemberChanges {
  const { database, members, organizations, sendSecurityMail, clock } = dependencies;

  return {
    async change(acting, personId, wished) {
      // Looked up without a lock first: a change that changes nothing must not make everybody else wait for its locks.
      const found = decideChange(await findBoth(database, acting, personId), wished);
      const { organizationId, actor } = acting;
      if (found.isSame) return withWebhooks(database, organizationId, found.member);
      return database.transaction().execute(async (transaction) => {
        const both = await loadBoth(transaction, acting, personId, wished.role === "owner");
        const { self, member, next, isSame } = decideChange(both, wished);
        if (isSame) return withWebhooks(transaction, organizationId, member);
        if (next.role !== "owner") await requireOtherOwner(transaction, organizationId, member);
        if (next.role === "owner" && member.role !== "owner")
          await requireRoomToOwn(organizations, transaction, personId);
        const occurredAt = clock.now();
        const change = { by: self, from: member.role, to: next.role, now: occurredAt };
        await requireFewChanges(transaction, organizationId, change);
        const by = { madeBy: acting.personId, at: occurredAt };
        await members.change(transaction, member, organizationId, next, by);
        await endMade(transaction, dependencies, acting, { personId, role: next.role }, occurredAt);
        const target = { type: "member", id: personId, name: member.name } as const;
        const accountId = organizationId;
        const details = describeGrant(member, next);
        await recordAction(transaction, { accountId, actor, action: "member.changed", occurredAt, target, details });
        const changed = await withWebhooks(transaction, organizationId, { ...member, ...next });
        const count = changed.webhookForms.length;
        await sendSecurityMail(transaction, { accountId, event: "member_changed", by: actor, occurredAt, count });
        if (member.role === "owner" && next.role !== "owner" && personId !== acting.personId)
          await sendSecurityMail(transaction, { accountId: personId, event: "membership_lowered", occurredAt });
        return changed;
      });
    },
    remove: (acting, personId) =>
      database.transaction().execute(async (transaction) => {
        const { self, member } = await loadBoth(transaction, acting, personId);
        requireMayManage(self, member);
        return end(transaction, acting, member, "member.removed");
      }),
    leave: (acting) =>
      database.transaction().execute(async (transaction) => {
        const { self } = await loadBoth(transaction, acting, acting.personId);
        await end(transaction, acting, self, "member.left");
      }),
  };

  async function loadBoth(transaction: DatabaseTransaction, acting: Acting, of: AccountId, isToOwn = false) {
    await lockRightsOf(transaction, of, acting.organizationId);
    await members.lock(transaction, acting.organizationId, isToOwn ? of : undefined);
    // Read again here: they may have been demoted or removed since the request began.
    return findBoth(transaction, acting, of);
  }

  async function findBoth(
    target: Database | DatabaseTransaction,
    { organizationId, personId }: Acting,
    of: AccountId,
  ): Promise<Both> {
    const self = await members.find(target, organizationId, personId);
    if (self === undefined) throw organizationNone();
    const member = await members.find(target, organizationId, of);
    if (member === undefined) throw new Problem("not_found", "Member not found");
    return { self, member };
  }

  async function end(
    transaction: DatabaseTransaction,
    acting: Acting,
    member: Member,
    action: "member.removed" | "member.left",
  ): Promise<EndedMembership> {
    await requireOtherOwner(transaction, acting.organizationId, member);
    return endMembership(transaction, dependencies, { ...acting, madeBy: acting.personId }, member, action);
  }

  async function requireOtherOwner(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    member: Member,
  ): Promise<void> {
    if (member.role !== "owner" || member.unprovenAddress !== undefined) return;
    if ((await members.countOtherOwners(transaction, organizationId, member.personId)) === 0)
      throw new Problem("conflict", "An organization needs an owner: make another member an owner first");
  }
}

/** Who changes something about a member, and that member. */
interface Both {
  readonly self: Member;
  readonly member: Member;
}

/** Throws unless they may. */
function decideChange({ self, member }: Both, wished: Partial<Grant>) {
  const next = { role: member.role, formIds: member.formIds, ...wished };
  requireMayManage(self, member);
  requireMayManage(self, next);
  return { self, member, next, isSame: !isOther(member, next) };
}

/** Ends a membership, and what it gave: API keys, invitations and admissions. Who calls it sees to it that an owner is left. */
export async function endMembership(
  transaction: DatabaseTransaction,
  dependencies: MemberChangeDependencies,
  { organizationId: accountId, actor, madeBy }: Omit<Acting, "personId"> & { readonly madeBy: AccountId | undefined },
  member: Member,
  action: "member.removed" | "member.left",
): Promise<EndedMembership> {
  const { members, organizations, apiKeys, sendSecurityMail, clock } = dependencies;
  const by = { actor, occurredAt: clock.now() };
  const { personId } = member;
  await revokeApiKeys(transaction, apiKeys, personId, by, accountId);
  await endMade(
    transaction,
    dependencies,
    { organizationId: accountId, actor },
    { personId, role: undefined },
    by.occurredAt,
  );
  const webhookForms = await listLeftWebhooks(transaction, accountId, personId, undefined);
  await members.remove(transaction, accountId, member, { madeBy, at: by.occurredAt });
  const target = { type: "member", id: personId, name: member.name } as const;
  const details = describeGrant(member, undefined);
  await recordAction(transaction, { ...by, accountId, action, target, details });
  const count = webhookForms.length;
  await sendSecurityMail(transaction, { ...by, accountId, event: "member_removed", by: actor, count });
  if (action === "member.removed" && member.unprovenAddress === undefined)
    await sendSecurityMail(transaction, { accountId: personId, event: "membership_ended", occurredAt: by.occurredAt });
  if (personId === accountId) await organizations.separate(transaction, accountId, by.occurredAt);
  return { webhookForms };
}

/** Remains of a membership that has ended. */
export interface EndedMembership {
  /** The forms whose webhook address the person was the last to choose, and could not choose now. */
  readonly webhookForms: readonly LeftWebhook[];
}

/** A member after a change, and the same remains of what they could do before. */
export interface ChangedMembership extends EndedMembership {
  readonly member: Member;
}

async function withWebhooks(
  target: Database | DatabaseTransaction,
  organizationId: AccountId,
  member: Member,
): Promise<ChangedMembership> {
  return { member, webhookForms: await listLeftWebhooks(target, organizationId, member.personId, member) };
}

/** Throws when a person who is about to become an owner, and is locked, owns enough already. */
export async function requireRoomToOwn(
  organizations: Pick<OrganizationStore, "countOwned">,
  transaction: DatabaseTransaction,
  personId: AccountId,
): Promise<void> {
  if ((await organizations.countOwned(transaction, personId)) >= ownedMax)
    throw new Problem("conflict", `One person owns at most ${ownedMax} organizations`);
}

/**
 * Throws when a person, whose rights nobody else changes meanwhile, would belong to too many organizations. What undoes a move of their account locks them all at once, also
 * those that they have left meanwhile.
 */
export async function requireRoomToJoin(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
  if ((await listConcerned(transaction, personId, 0)).length >= joinedMax)
    throw new Problem(
      "conflict",
      `One person belongs to at most ${joinedMax} organizations, with those that they left within nine days`,
    );
}

/**
 * Throws when so many organizations count for a person, who is locked, that no other one may. What others have made them an owner of is
 * no limit to that; what they left behind counts on, since each has room of its own.
 */
export async function requireFewCounting(
  organizations: Pick<OrganizationStore, "countCounting">,
  transaction: DatabaseTransaction,
  personId: AccountId,
): Promise<void> {
  if ((await organizations.countCounting(transaction, personId)) >= ownedMax)
    throw new Problem(
      "conflict",
      `At most ${ownedMax} organizations count for one person, with those that they left and that no owner has taken over`,
    );
}

/** Throws unless a member may give, change and end this role. */
export function requireMayManage(self: Pick<Grant, "role">, other: Pick<Grant, "role">): void {
  if (!mayManage(self.role, other.role))
    throw new Problem("forbidden", "Only an owner gives and ends the rights of owners, managers and auditors");
}
