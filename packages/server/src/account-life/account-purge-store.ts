import type { AccountId, FormId } from "@sealpost/wire";
import { isUndoable, undoMilliseconds } from "../accounts/address-move-store.ts";
import { removePersonRows } from "../accounts/person-removal-store.ts";
import type { ApiKeyStore } from "../api-keys/api-key-store.ts";
import { revokeApiKeys } from "../api-keys/revoke-api-keys.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganization, lockOrganizations, lockPerson } from "../database/lock.ts";
import { keepSessionsIn } from "../database/membership.ts";
import { removeLastRows } from "../database/remove-rows.ts";
import { lockRightsIn, lockRightsOf } from "../database/right-lock.ts";
import { createRound, orderOfRound, stepOfFirst } from "../database/round.ts";
import { isRowOfCoordinatorNotHeld } from "../forms/form-hold-store.ts";
import { removeForm } from "../forms/form-removal-store.ts";
import type { SendSecurityMail } from "../mail/security-mail-store.ts";
import { listLeftWebhooks } from "../organizations/left-webhooks.ts";
import type { MemberStore } from "../organizations/member-store.ts";
import { describeGrant } from "../organizations/organization.ts";
import type { OrganizationStore } from "../organizations/organization-store.ts";
import { findEndsAt, isPerson, listFates, setEndsAt } from "./account-deletion-store.ts";

/** How many rows one step removes, so that nobody waits long for it. */
const batch = 1000;
/** The most due rows that one step looks at. */
const lookMax = 100;

export interface AccountPurgeDependencies {
  readonly database: Database;
  readonly members: Pick<MemberStore, "lock" | "find" | "remove">;
  readonly organizations: Pick<OrganizationStore, "separate">;
  readonly apiKeys: Pick<ApiKeyStore, "revokeAll">;
  readonly sendSecurityMail: SendSecurityMail;
}

/**
 * Removes accounts and organizations whose grace is over. Each call is a step of bounded size in a transaction of its own, and a
 * restart resumes with the next one; `false` says that nothing is due.
 */
export function createAccountPurge(dependencies: AccountPurgeDependencies): (now: number) => Promise<boolean> {
  const { database, members, organizations, apiKeys, sendSecurityMail } = dependencies;
  const purgeOrganizations = createRound({
    max: lookMax,
    find: listEnding,
    findBlocked: listHeld,
    work: (id, now: number) =>
      database.transaction().execute((transaction) => removeOfOrganization(transaction, id, now)),
  });
  const purgePersons = createRound({
    max: lookMax,
    find: listLeavers,
    work: (id, now: number) => database.transaction().execute((transaction) => removePerson(transaction, id, now)),
  });
  return (now) => stepOfFirst([() => purgeOrganizations(now), () => purgePersons(now)]);

  async function listEnding(after: string, max: number, now: number): Promise<readonly AccountId[]> {
    const order = orderOfRound(database, "id");
    const rows = await database
      .selectFrom("organization")
      .select("id")
      .where("ends_at", "<=", now)
      .where(order, ">", after)
      .orderBy(order)
      .limit(max)
      .execute();
    return rows.map(({ id }) => id as AccountId); // only ids are written there
  }

  /** A form that is under a legal hold keeps its organization: those with no other ones left. */
  async function listHeld(ids: readonly AccountId[]): Promise<ReadonlySet<string>> {
    const forms = database.selectFrom("form").select("account_id").distinct().where("account_id", "in", ids);
    const all = await forms.execute();
    const free = await forms.where(isRowOfCoordinatorNotHeld("form.id")).execute();
    const withFree = new Set(free.map((row) => row.account_id));
    return new Set(all.map((row) => row.account_id).filter((id) => !withFree.has(id)));
  }

  /** Removes one form; without forms, a batch of the audit log; after that the rest, which is bounded. */
  async function removeOfOrganization(transaction: DatabaseTransaction, id: AccountId, now: number): Promise<boolean> {
    await lockRightsIn(transaction, id);
    const row = await lockOrganization(transaction, id);
    // Somebody kept it in this moment. With its rights and its row locked nobody does so, or sets a hold, before the commit.
    if (row?.ends_at == null || row.ends_at > now) return false;
    const forms = transaction.selectFrom("form").select("id").where("account_id", "=", id).limit(1);
    const next = await forms.where(isRowOfCoordinatorNotHeld("form.id")).executeTakeFirst();
    if (next !== undefined) {
      await removeForm(transaction, id, next.id as FormId, now); // written from one
      return true;
    }
    if ((await forms.executeTakeFirst()) !== undefined) return false;
    if (await removeAuditEntries(transaction, id)) return true;
    await keepSessionsIn(transaction, id);
    await removeLastRows(transaction, "organization", { id });
    // Emails to the person with its id wait under the same one.
    if (!(await isPerson(transaction, id))) await transaction.deleteFrom("mail").where("account_id", "=", id).execute();
    // Rows that refer to it go with it: members, invitations, the signed list, API keys.
    await transaction.deleteFrom("organization").where("id", "=", id).execute();
    return true;
  }

  async function listLeavers(after: string, max: number, now: number): Promise<readonly AccountId[]> {
    const order = orderOfRound(database, "person.id");
    const rows = await database
      .selectFrom("person")
      .select("id")
      .where("leaves_at", "<=", now)
      .where(order, ">", after)
      // An account that the address before can take back waits until it can't: nothing would be left for its owner.
      .where(({ exists, not, selectFrom }) =>
        not(
          exists(
            selectFrom("address_move")
              .select("address_move.person_id")
              .whereRef("address_move.person_id", "=", "person.id")
              .where("address_move.moved_at", ">", now - undoMilliseconds),
          ),
        ),
      )
      .orderBy(order)
      .limit(max)
      .execute();
    return rows.map(({ id }) => id as AccountId); // only ids are written there
  }

  /** One membership; when there is none left, the person. False where an organization waits for a hold, or for an owner. */
  async function removePerson(transaction: DatabaseTransaction, personId: AccountId, now: number): Promise<boolean> {
    await lockRightsOf(transaction, personId);
    const person = await lockPerson(transaction, personId);
    if (person?.leaves_at == null || person.leaves_at > now) return false;
    if (await isUndoable(transaction, personId, now)) return false;
    const own = await listFates(transaction, personId);
    const left = own.find(({ fate }) => fate === "left");
    if (left !== undefined) {
      await leave(transaction, left.id, personId, now);
      return true;
    }
    const isAllTheirs = own.every(({ fate }) => fate === "deleted");
    if (isAllTheirs && (await endWith(transaction, personId, person.leaves_at))) return true;
    if (own.length > 0) return false;
    if (await removeAuditEntries(transaction, personId)) return true;
    await removePersonRows(transaction, { id: personId, email: person.email });
    return true;
  }

  /** Ends organizations that nobody else belongs to, and that were made or kept since the deletion was asked for. False when there was none. */
  async function endWith(transaction: DatabaseTransaction, personId: AccountId, leavesAt: number): Promise<boolean> {
    const list = async () =>
      (await listFates(transaction, personId)).flatMap(({ id, fate }) => (fate === "deleted" ? [id] : []));
    // Again with their rows locked: somebody may have joined.
    await lockOrganizations(transaction, await list());
    let isEnding = false;
    for (const id of await list()) {
      if (((await findEndsAt(transaction, id)) ?? Number.POSITIVE_INFINITY) <= leavesAt) continue;
      await setEndsAt(transaction, id, leavesAt);
      isEnding = true;
    }
    return isEnding;
  }

  /** The same as when a member leaves by themselves. */
  async function leave(
    transaction: DatabaseTransaction,
    accountId: AccountId,
    personId: AccountId,
    occurredAt: number,
  ): Promise<void> {
    await members.lock(transaction, accountId);
    const member = await members.find(transaction, accountId, personId);
    if (member === undefined) return;
    const by = { actor: { type: "nobody" }, occurredAt } as const;
    await revokeApiKeys(transaction, apiKeys, personId, by, accountId);
    const { length: count } = await listLeftWebhooks(transaction, accountId, personId, undefined);
    await members.remove(transaction, accountId, member, { madeBy: undefined, at: occurredAt });
    const target = { type: "member", id: personId, name: member.name } as const;
    const details = describeGrant(member, undefined);
    await recordAction(transaction, { ...by, accountId, action: "member.left", target, details });
    await sendSecurityMail(transaction, { accountId, event: "member_removed", by: by.actor, occurredAt, count });
    // Others keep the organization with the person's id: the person goes under another one.
    if (accountId === personId) await organizations.separate(transaction, personId, occurredAt);
  }

  /** One batch. False when there was none. */
  async function removeAuditEntries(transaction: DatabaseTransaction, accountId: AccountId): Promise<boolean> {
    const { numDeletedRows } = await transaction
      .deleteFrom("audit_entry")
      .where("id", "in", ({ selectFrom }) =>
        selectFrom("audit_entry as old").select("old.id").where("old.account_id", "=", accountId).limit(batch),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows > 0n;
  }
}
