import { type AccountId, createId } from "@sealpost/wire";
import { sql } from "kysely";
import { lowerAddress } from "../authentication/email-address.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganization, lockPerson } from "../database/lock.ts";
import { insertOrganization, isProven, type NewOrganization, shareProof } from "../database/membership.ts";
import { renameFormerOwner } from "../mail/former-owner-store.ts";

/** An organization, for the operator. */
export interface ListedOrganization {
  readonly id: AccountId;
  readonly name: string;
  readonly plan: string;
  readonly members: number;
  /** The owners who are not disabled. */
  readonly owners: number;
}

export interface OrganizationStore {
  /** Organizations after `after`, at most `limit`. */
  list(after: string, limit: number): Promise<readonly ListedOrganization[]>;
  findPerson(email: string): Promise<AccountId | undefined>;
  findName(organizationId: AccountId): Promise<string | undefined>;
  /** Without members. */
  create(transaction: DatabaseTransaction, organization: NewOrganization): Promise<void>;
  /** Locks it, and returns the name before; `undefined` where it is gone. */
  rename(transaction: DatabaseTransaction, organizationId: AccountId, name: string): Promise<string | undefined>;
  /** Sets when it starts to require a second factor of its members; null: it does not. Returns the value before. */
  setSecondFactorFrom(
    transaction: DatabaseTransaction,
    organizationId: AccountId,
    from: number | null,
  ): Promise<number | null>;
  requiresRecovery(organizationId: AccountId, transaction?: DatabaseTransaction): Promise<boolean>;
  /** Since when it wants a recovery key; null: it does not. */
  setRecoveryRequired(transaction: DatabaseTransaction, organizationId: AccountId, at: number | null): Promise<void>;
  /** Until the transaction ends, another one that locks the person waits. False for one who is disabled, or is not there. */
  lockPerson(transaction: DatabaseTransaction, personId: AccountId): Promise<boolean>;
  /** How many organizations a person owns. Who decides by it has locked the person. */
  countOwned(transaction: DatabaseTransaction, personId: AccountId): Promise<number>;
  /** How many organizations count for a person, or were left behind by them: those that others made them an owner of do not. */
  countCounting(transaction: DatabaseTransaction, personId: AccountId): Promise<number>;
  /** Whether it is to be deleted. */
  isEnding(transaction: DatabaseTransaction, organizationId: AccountId): Promise<boolean>;
  /** The email address of a person. */
  findEmail(transaction: DatabaseTransaction, personId: AccountId): Promise<string | undefined>;
  /**
   * Gives a person who has left the organization with their id another id, so that nothing they do from then on is filed under the
   * organization's. They sign in as before and belong to the other organizations. Their sessions stay; sign-ins that wait for a
   * code, and links, end.
   */
  separate(transaction: DatabaseTransaction, personId: AccountId, now: number): Promise<AccountId>;
}

export function createOrganizationStore(database: Database): OrganizationStore {
  return {
    async list(after, limit) {
      const rows = await database
        .selectFrom("organization")
        .leftJoin("member", "member.organization_id", "organization.id")
        .leftJoin("person", "person.id", "member.person_id")
        .select(({ fn }) => [
          "organization.id",
          "organization.plan",
          "organization.name",
          fn.count<number>("member.person_id").as("members"),
          sql<number>`sum(case when member.role = 'owner' and person.disabled_at is null
            and ${isProven("member")} then 1 else 0 end)`.as("owners"),
        ])
        .where("organization.id", ">", after)
        .groupBy(["organization.id", "organization.plan", "organization.name"])
        .orderBy("organization.id")
        .limit(limit)
        .execute();
      return rows.map(({ id, name, plan, members, owners }) => ({
        ...{ name, plan, members: Number(members), owners: Number(owners) },
        id: id as AccountId, // only ids are written there
      }));
    },
    async findPerson(email) {
      const row = await database
        .selectFrom("person")
        .select("id")
        .where("email", "=", lowerAddress(email))
        .executeTakeFirst();
      return row?.id as AccountId | undefined; // as above
    },
    async findName(organizationId) {
      const row = await database
        .selectFrom("organization")
        .select("name")
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row?.name;
    },
    create: insertOrganization,
    async rename(transaction, organizationId, name) {
      const row = await lockOrganization(transaction, organizationId);
      if (row === undefined || row.name === name) return row?.name;
      await transaction.updateTable("organization").set({ name }).where("id", "=", organizationId).execute();
      return row.name;
    },
    async setSecondFactorFrom(transaction, organizationId, from) {
      const row = await transaction
        .selectFrom("organization")
        .select("second_factor_from")
        .where("id", "=", organizationId)
        .executeTakeFirstOrThrow();
      await transaction
        .updateTable("organization")
        .set({ second_factor_from: from })
        .where("id", "=", organizationId)
        .execute();
      return row.second_factor_from === null ? null : Number(row.second_factor_from);
    },
    async requiresRecovery(organizationId, transaction) {
      const row = await (transaction ?? database)
        .selectFrom("organization")
        .select("recovery_required_at")
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row !== undefined && row.recovery_required_at !== null;
    },
    async setRecoveryRequired(transaction, organizationId, at) {
      await transaction
        .updateTable("organization")
        .set({ recovery_required_at: at })
        .where("id", "=", organizationId)
        .execute();
    },
    async lockPerson(transaction, personId) {
      await shareProof(transaction, personId);
      const row = await lockPerson(transaction, personId);
      return row !== undefined && row.disabled_at === null;
    },
    async countOwned(transaction, personId) {
      const { count } = await transaction
        .selectFrom("member")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("person_id", "=", personId)
        .where("role", "=", "owner")
        .where(isProven("member"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async countCounting(transaction, personId) {
      const { count } = await transaction
        .selectFrom("organization")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where(({ eb, or }) => or([eb("counts_for", "=", personId), eb("left_by", "=", personId)]))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async isEnding(transaction, organizationId) {
      const row = await transaction
        .selectFrom("organization")
        .select("ends_at")
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row !== undefined && row.ends_at !== null;
    },
    async findEmail(transaction, personId) {
      const row = await transaction.selectFrom("person").select("email").where("id", "=", personId).executeTakeFirst();
      return row?.email;
    },
    async separate(transaction, personId, now) {
      const id = createId("account", now);
      // They name the person by the id until now.
      await transaction.deleteFrom("signed_head").where("person_id", "=", personId).execute();
      await transaction
        .deleteFrom("verification")
        .where("value", "=", personId)
        // Codes that were used stay used.
        .whereRef("id", "<>", "identifier")
        .execute();
      await transaction
        .deleteFrom("mail")
        .where("account_id", "=", personId)
        .where("kind", "in", ["password_reset", "verify_email"])
        .execute();
      // Rows that refer to the person follow (`on update cascade`).
      await transaction.updateTable("person").set({ id }).where("id", "=", personId).execute();
      for (const [table, column] of mentions)
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${id} where ${sql.ref(column)} = ${personId}`.execute(
          transaction,
        );
      await transaction
        .updateTable("mail")
        .set({ account_id: id })
        .where("account_id", "=", personId)
        .where("is_personal", "=", 1)
        .execute();
      await renameFormerOwner(transaction, personId, id);
      // For what stays filed under the id until now: the audit log, and signed lists.
      await transaction.insertInto("former_person_id").values({ id: personId, person_id: id, left_at: now }).execute();
      return id;
    },
  };
}

/** Where else the id of a person is, but for the audit log and signed lists, which tell what was (`former_person_id`). */
const mentions = [
  // The sign-in library names the person there as well.
  ["credential", "provider_account_id"],
  ["organization", "counts_for"],
  ["organization", "left_by"],
  ["member", "added_by"],
  ["member_change", "person_id"],
  ["member_change", "made_by"],
  ["member_change", "added_by"],
  ["undone_move", "person_id"],
  ["invitation", "invited_by"],
  ["instance_invitation", "invited_by"],
  ["admission", "answered_by"],
  ["webhook", "set_by"],
] as const;
