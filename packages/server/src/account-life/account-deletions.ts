import type { AccountId } from "@sealpost/wire";
import type { AccountStore } from "../accounts/account-store.ts";
import { deleteMove } from "../accounts/address-move-store.ts";
import { endInvitationsOf } from "../accounts/ended-invitation-store.ts";
import type { AuditActor } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganizations, lockPerson } from "../database/lock.ts";
import { lockRightsOf } from "../database/right-lock.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import type { MemberStore } from "../organizations/member-store.ts";
import { formsHeld, Problem } from "../problems/problem.ts";
import { createKeptMeasures } from "../quotas/kept-measures.ts";
import type { Clock } from "../time/clock.ts";
import {
  findEndsAt,
  findLeavesAt,
  keepOrganizationsOf,
  listFates,
  listHeldForms,
  listOwned,
  measureContents,
  setEndsAt,
  setLeavesAt,
} from "./account-deletion-store.ts";
import { graceMilliseconds, type Leaving } from "./account-life.ts";

export interface AccountDeletionDependencies {
  readonly database: Database;
  readonly accounts: Pick<AccountStore, "endSessions" | "endPending">;
  readonly members: Pick<MemberStore, "lock">;
  readonly sendSecurityMail: SendSecurityMail;
  readonly clock: Clock;
}

/** Accounts and organizations that are to be deleted: when, and what goes with them. The purge does it (`account-purge-store.ts`). */
export interface AccountDeletions {
  /** The organizations that would go with the account, and when it does, if that was asked for. */
  look(personId: AccountId): Promise<Leaving>;
  /**
   * Deletes an account when the grace is over, with the organizations that nobody else belongs to. Sessions and pending sign-ins end;
   * API keys work until then. Asked for again it ends sessions, and keeps the earlier date. Throws where an organization would be left without an owner, or a legal hold keeps one of its forms.
   */
  leave(personId: AccountId, actor: AuditActor, graceFor?: number): Promise<number>;
  /** Keeps the account after all, and what would have gone with it. False if nobody had asked for its deletion. */
  stay(personId: AccountId, actor: AuditActor): Promise<boolean>;
  /** Deletes an organization when the grace is over. Throws while a legal hold keeps one of its forms. */
  end(organizationId: AccountId, actor: AuditActor): Promise<number>;
  keep(organizationId: AccountId, actor: AuditActor): Promise<boolean>;
  /** Keeps the account if its deletion was asked for since then. */
  keepAccountSince(
    transaction: DatabaseTransaction,
    personId: AccountId,
    since: number,
    actor: AuditActor,
  ): Promise<void>;
  /** Keeps those among the organizations that the person owns whose deletion was asked for since then. */
  keepOrganizationsSince(
    transaction: DatabaseTransaction,
    owned: { readonly by: AccountId; readonly among: ReadonlySet<AccountId> },
    since: number,
    actor: AuditActor,
  ): Promise<void>;
}

export function createAccountDeletions(dependencies: AccountDeletionDependencies): AccountDeletions {
  const { database, accounts, members, sendSecurityMail, clock } = dependencies;

  // By the ids of the organizations: nobody else belongs to one that is deleted with an account.
  const contents = createKeptMeasures((ids) => measureContents(database, JSON.parse(ids))); // `look` asks with these

  return {
    async look(personId) {
      const fates = await listFates(database, personId);
      const going = fates.filter(({ fate }) => fate === "deleted").map(({ id }) => id);
      const { value: kept } = await contents.find(JSON.stringify(going));
      const organizations = fates.map((one) => ({ submissions: 0, heldForms: [], ...one, ...kept.get(one.id) }));
      return { leavesAt: await findLeavesAt(database, personId), organizations };
    },
    leave: (personId, actor, graceFor = graceMilliseconds) =>
      database.transaction().execute(async (transaction) => {
        await lockAll(transaction, personId);
        const now = clock.now();
        const before = await findLeavesAt(transaction, personId);
        // Asked for twice, it is no later; and the account and its organizations have one date, by which they are kept together.
        const at = Math.min(before ?? Number.POSITIVE_INFINITY, now + graceFor);
        const organizations = await listFates(transaction, personId);
        const unowned = organizations.find(({ fate }) => fate === "needs_owner");
        if (unowned !== undefined)
          throw new Problem(
            "conflict",
            `Others belong to the organization “${unowned.name}”, and nobody else owns it: make one of them an owner first, or delete it`,
          );
        const going = organizations.filter(({ fate }) => fate === "deleted");
        await requireNoHold(
          transaction,
          going.map(({ id }) => id),
        );
        for (const { id } of going)
          await setEndsAt(transaction, id, Math.min((await findEndsAt(transaction, id)) ?? at, at));
        await setLeavesAt(transaction, personId, at);
        // The operator's word, for which the purge would otherwise wait: the address before takes the account back no more.
        if (graceFor === 0) await deleteMove(transaction, personId);
        await accounts.endSessions(transaction, personId);
        await accounts.endPending(transaction, personId);
        await endInvitationsOf(transaction, personId, { actor, occurredAt: now });
        if (at !== before) await tell(transaction, personId, actor, "account.deletion_requested", "account_leaving");
        return at;
      }),
    stay: (personId, actor) =>
      database.transaction().execute(async (transaction) => {
        await lockAll(transaction, personId);
        const at = await findLeavesAt(transaction, personId);
        if (at === undefined) return false;
        await setLeavesAt(transaction, personId, undefined);
        await keepOrganizationsOf(transaction, personId, at);
        await tell(transaction, personId, actor, "account.kept", "account_kept");
        return true;
      }),
    end: (organizationId, actor) =>
      database.transaction().execute(async (transaction) => {
        await members.lock(transaction, organizationId);
        const before = await findEndsAt(transaction, organizationId);
        if (before !== undefined) return before;
        await requireNoHold(transaction, [organizationId]);
        const at = clock.now() + graceMilliseconds;
        await setEndsAt(transaction, organizationId, at);
        await tell(transaction, organizationId, actor, "organization.deletion_requested", "organization_ending");
        return at;
      }),
    keep: (organizationId, actor) =>
      database.transaction().execute(async (transaction) => {
        await members.lock(transaction, organizationId);
        if ((await findEndsAt(transaction, organizationId)) === undefined) return false;
        await setEndsAt(transaction, organizationId, undefined);
        await tell(transaction, organizationId, actor, "organization.kept", "organization_kept");
        return true;
      }),
    async keepAccountSince(transaction, personId, since, actor) {
      if (!isSince(await findLeavesAt(transaction, personId), since)) return;
      await setLeavesAt(transaction, personId, undefined);
      await tell(transaction, personId, actor, "account.kept", "account_kept");
    },
    async keepOrganizationsSince(transaction, { by, among }, since, actor) {
      const owned = (await listOwned(transaction, by)).filter((id) => among.has(id));
      await lockOrganizations(transaction, owned);
      for (const id of owned) {
        if (!isSince(await findEndsAt(transaction, id), since)) continue;
        await setEndsAt(transaction, id, undefined);
        await tell(transaction, id, actor, "organization.kept", "organization_kept");
      }
    },
  };

  /** In one order, so that two of these never wait for each other. */
  async function lockAll(transaction: DatabaseTransaction, personId: AccountId): Promise<void> {
    await lockRightsOf(transaction, personId);
    await lockPerson(transaction, personId);
    const ids = (await listFates(transaction, personId)).map(({ id }) => id);
    await lockOrganizations(transaction, ids);
  }

  async function requireNoHold(transaction: DatabaseTransaction, organizationIds: readonly AccountId[]): Promise<void> {
    const held = await listHeldForms(transaction, organizationIds);
    if (held.length > 0) throw formsHeld(held);
  }

  async function tell(
    transaction: DatabaseTransaction,
    accountId: AccountId,
    actor: AuditActor,
    action: "account.deletion_requested" | "account.kept" | "organization.deletion_requested" | "organization.kept",
    event: "account_leaving" | "account_kept" | "organization_ending" | "organization_kept",
  ): Promise<void> {
    const occurredAt = clock.now();
    await recordAction(transaction, { accountId, actor, action, occurredAt });
    await sendSecurityMail(transaction, { accountId, event, by: actor, occurredAt });
  }
}

/** Whether the deletion that takes effect then was asked for since. */
function isSince(at: number | undefined, since: number): boolean {
  return at !== undefined && at - graceMilliseconds >= since;
}
