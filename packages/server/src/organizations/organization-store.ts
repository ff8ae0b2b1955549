import { type AccountId, createId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockAccount } from "../database/lock.ts";

export interface NewOrganization {
  readonly id: AccountId;
  readonly name: string;
  readonly plan: Plan;
  readonly createdAt: number;
}

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
  /** Organizations after `after`, at most `limit`. A person who only belongs to others is not listed. */
  list(after: string, limit: number): Promise<readonly ListedOrganization[]>;
  findPerson(email: string): Promise<AccountId | undefined>;
  /** Whether it is the account of a person whose ownership is not written down yet. */
  isUnjoined(organizationId: AccountId): Promise<boolean>;
  findName(organizationId: AccountId): Promise<string | undefined>;
  /** Without members. */
  create(transaction: DatabaseTransaction, organization: NewOrganization): Promise<void>;
  rename(transaction: DatabaseTransaction, organizationId: AccountId, name: string): Promise<void>;
  /** From when it requires a second factor of its members; null: no longer. Gives the value before. */
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
  /** Whether it is to be deleted. */
  isEnding(transaction: DatabaseTransaction, organizationId: AccountId): Promise<boolean>;
  /** The email address of a person. */
  findEmail(transaction: DatabaseTransaction, personId: AccountId): Promise<string | undefined>;
  /**
   * Parts a person from the organization with their id, which they have left: they get another id, with which they sign in as
   * before and belong to the other organizations. Their sessions stay; sign-ins that wait for a code, and links, end.
   */
  separate(transaction: DatabaseTransaction, personId: AccountId, now: number): Promise<AccountId>;
}

export function createOrganizationStore(database: Database): OrganizationStore {
  return {
    async list(after, limit) {
      const rows = await database
        .selectFrom("account_holder as organization")
        .leftJoin("member", "member.organization_id", "organization.id")
        .leftJoin("account_holder as person", "person.id", "member.person_id")
        .select(({ fn, ref }) => [
          "organization.id",
          "organization.plan",
          fn.coalesce(ref("organization.organization_name"), ref("organization.name")).as("name"),
          fn.count<number>("member.person_id").as("members"),
          sql<number>`sum(case when member.role = 'owner' and person.disabled_at is null then 1 else 0 end)`.as(
            "owners",
          ),
        ])
        .where("organization.id", ">", after)
        .groupBy(["organization.id", "organization.plan", "organization.organization_name", "organization.name"])
        .having(({ eb, fn, or }) =>
          or([
            eb(fn.count("member.person_id"), ">", 0),
            eb(fn.min("organization.joined_at"), "is", null),
            eb(fn.max("organization.email"), "=", fn.max("organization.id")),
          ]),
        )
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
        .selectFrom("account_holder")
        .select("id")
        .where("email", "=", email.toLowerCase())
        .where("email", "like", "%@%")
        .executeTakeFirst();
      return row?.id as AccountId | undefined; // as above
    },
    async isUnjoined(organizationId) {
      const row = await database
        .selectFrom("account_holder")
        .select("joined_at")
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row?.joined_at === null;
    },
    async findName(organizationId) {
      const row = await database
        .selectFrom("account_holder")
        .select(({ fn, ref }) => fn.coalesce(ref("organization_name"), ref("name")).as("name"))
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row?.name;
    },
    async create(transaction, { id, name, plan, createdAt }) {
      const at = new Date(createdAt).toISOString();
      await transaction
        .insertInto("account_holder")
        .values({
          id,
          // Nobody signs in with it: an address has an @.
          email: id,
          name: "",
          organization_name: name,
          plan,
          email_verified: sql<boolean>`(1 = 0)`,
          verification: "trusted",
          disabled_at: null,
          joined_at: createdAt,
          created_at: at,
          updated_at: at,
        })
        .execute();
    },
    async rename(transaction, organizationId, name) {
      await transaction
        .updateTable("account_holder")
        .set({ organization_name: name })
        .where("id", "=", organizationId)
        .execute();
    },
    async setSecondFactorFrom(transaction, organizationId, from) {
      const row = await transaction
        .selectFrom("account_holder")
        .select("second_factor_from")
        .where("id", "=", organizationId)
        .executeTakeFirstOrThrow();
      await transaction
        .updateTable("account_holder")
        .set({ second_factor_from: from })
        .where("id", "=", organizationId)
        .execute();
      return row.second_factor_from === null ? null : Number(row.second_factor_from);
    },
    async requiresRecovery(organizationId, transaction) {
      const row = await (transaction ?? database)
        .selectFrom("account_holder")
        .select("recovery_required_at")
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row !== undefined && row.recovery_required_at !== null;
    },
    async setRecoveryRequired(transaction, organizationId, at) {
      await transaction
        .updateTable("account_holder")
        .set({ recovery_required_at: at })
        .where("id", "=", organizationId)
        .execute();
    },
    async lockPerson(transaction, personId) {
      const row = await lockAccount(transaction, personId);
      // A row without an address is an organization that the person with its id has left.
      return row !== undefined && row.disabled_at === null && row.email.includes("@");
    },
    async countOwned(transaction, personId) {
      const { count } = await transaction
        .selectFrom("member")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("person_id", "=", personId)
        .where("role", "=", "owner")
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async isEnding(transaction, organizationId) {
      const row = await transaction
        .selectFrom("account_holder")
        .select("organization_ends_at")
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row !== undefined && row.organization_ends_at !== null;
    },
    async findEmail(transaction, personId) {
      const row = await transaction
        .selectFrom("account_holder")
        .select("email")
        .where("id", "=", personId)
        .executeTakeFirst();
      return row?.email;
    },
    async separate(transaction, personId, now) {
      const { email } = await transaction
        .selectFrom("account_holder")
        .select("email")
        .where("id", "=", personId)
        .executeTakeFirstOrThrow();
      const id = createId("account", now);
      await transaction.updateTable("account_holder").set({ email: personId }).where("id", "=", personId).execute();
      await copyPerson(transaction, personId, id, email, now);
      await emptyOrganization(transaction, personId);
      // They name the person by the id until now, which the organization keeps.
      await transaction.deleteFrom("signed_head").where("person_id", "=", personId).execute();
      await moveSignIn(transaction, personId, id);
      for (const [table, column] of mentions)
        await sql`update ${sql.table(table)} set ${sql.ref(column)} = ${id} where ${sql.ref(column)} = ${personId}`.execute(
          transaction,
        );
      return id;
    },
  };
}

/** Where else the id of a person is, but for the audit log, which tells what was. */
const mentions = [
  ["member", "person_id"],
  ["member", "added_by"],
  ["invitation", "invited_by"],
  ["instance_invitation", "invited_by"],
  ["api_key", "made_by"],
  ["identity", "person_id"],
  ["passkey", "person_id"],
  ["personal_key", "person_id"],
  ["key_copy", "person_id"],
  ["former_key", "person_id"],
  ["former_key_copy", "person_id"],
  ["device_request", "person_id"],
  ["address_move", "person_id"],
] as const;

async function copyPerson(
  transaction: DatabaseTransaction,
  from: AccountId,
  to: AccountId,
  email: string,
  now: number,
): Promise<void> {
  await sql`
    insert into account_holder (id, email, joined_at, name, email_verified, image, plan, created_at, updated_at,
      second_factor_enabled, disabled_at, verification, operator_since, leaves_at)
    select cast(${to} as text), cast(${email} as text), cast(${now} as bigint), name, email_verified, image, plan,
      created_at, updated_at, second_factor_enabled, disabled_at, verification, operator_since, leaves_at
    from account_holder where id = ${from}`.execute(transaction);
}

/** Leaves the organization alone in the row. */
async function emptyOrganization(transaction: DatabaseTransaction, id: AccountId): Promise<void> {
  await transaction
    .updateTable("account_holder")
    .set(({ fn, ref }) => ({
      organization_name: fn.coalesce(ref("organization_name"), ref("name")),
      name: "",
      email_verified: sql<boolean>`(1 = 0)`,
      second_factor_enabled: sql<boolean>`(1 = 0)`,
      verification: "trusted",
      disabled_at: null,
      operator_since: null,
      leaves_at: null,
    }))
    .where("id", "=", id)
    .execute();
}

async function moveSignIn(transaction: DatabaseTransaction, from: AccountId, to: AccountId): Promise<void> {
  await sql`update credential set account_id = ${to} where account_id = ${from}`.execute(transaction);
  // The sign-in library names the person there as well.
  await sql`update credential set provider_account_id = ${to} where provider_account_id = ${from}`.execute(transaction);
  await transaction.updateTable("session").set({ account_id: to }).where("account_id", "=", from).execute();
  await transaction.updateTable("second_factor").set({ account_id: to }).where("account_id", "=", from).execute();
  await transaction
    .deleteFrom("verification")
    .where("value", "=", from)
    // Codes that were used stay used.
    .whereRef("id", "<>", "identifier")
    .execute();
  await transaction
    .deleteFrom("mail")
    .where("account_id", "=", from)
    .where("kind", "in", ["password_reset", "verify_email"])
    .execute();
}
