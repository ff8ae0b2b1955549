import type { AccountId, ApiKeyId, FormId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { readMembership } from "../access/membership.ts";
import { type Permission, permissions } from "../access/permission.ts";
import { permissionsOfRole } from "../access/roles.ts";
import type { ApiKeyTable } from "../database/api-key-tables.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { selectForUpdateSkipLocked } from "../database/lock.ts";
import { isProven, parseFormIds } from "../database/membership.ts";
import { hasLostNoSecurityMail } from "../mail/notified-marks-store.ts";
import type { ApiKey, ListedApiKey, UsableApiKey } from "./api-key.ts";

export interface ApiKeyStore {
  /** How many keys an organization has, and how many of them persons made who do not own it. */
  count(
    transaction: DatabaseTransaction,
    accountId: AccountId,
  ): Promise<{ readonly all: number; readonly ofOthers: number }>;
  /** `hash` is the SHA-256 of the key's value, hex; the value itself is nowhere. */
  create(transaction: DatabaseTransaction, key: ApiKey, hash: string): Promise<void>;
  find(id: ApiKeyId): Promise<ApiKey | undefined>;
  /** The key with the permissions that its maker holds now. `undefined` also while its maker is disabled, or no longer a member. */
  findByHash(hash: string): Promise<UsableApiKey | undefined>;
  /** The same, for one that was found a moment ago. */
  findUsable(id: ApiKeyId, transaction?: DatabaseTransaction): Promise<UsableApiKey | undefined>;
  /** All keys of the organization, or those that one person made, newest first. */
  list(accountId: AccountId, madeBy?: AccountId | undefined): Promise<readonly ListedApiKey[]>;
  /** Whether there was such a key; of two simultaneous revocations one gets `true`. */
  revoke(transaction: DatabaseTransaction, id: ApiKeyId): Promise<boolean>;
  /** Revokes every key that a person made, in all organizations or in one. */
  revokeAll(
    transaction: DatabaseTransaction,
    madeBy: AccountId,
    accountId?: AccountId | undefined,
  ): Promise<readonly RevokedApiKey[]>;
  /** Notes that the owners are notified of a key that ends before this, once. The organization; `undefined`: there is none. */
  takeEnding(transaction: DatabaseTransaction, before: number, now: number): Promise<AccountId | undefined>;
  /** Writes when a key was used, unless a time at or after `unlessSince` is written already. */
  noteUse(id: ApiKeyId, usedAt: number, unlessSince: number): Promise<void>;
}

export type RevokedApiKey = Pick<ApiKey, "id" | "name" | "accountId">;

export function createApiKeyStore(database: Database): ApiKeyStore {
  return {
    async count(transaction, accountId) {
      const makers = await transaction
        .selectFrom("api_key")
        .leftJoin("member", (join) =>
          join
            .onRef("member.organization_id", "=", "api_key.account_id")
            .onRef("member.person_id", "=", "api_key.made_by"),
        )
        .select("member.role")
        .where("api_key.account_id", "=", accountId)
        .execute();
      return { all: makers.length, ofOthers: makers.filter(({ role }) => role !== "owner").length };
    },
    async create(transaction, key, hash) {
      await transaction
        .insertInto("api_key")
        .values({
          id: key.id,
          account_id: key.accountId,
          name: key.name,
          prefix: key.prefix,
          hash,
          permissions: JSON.stringify(key.permissions),
          created_at: key.createdAt,
          last_used_at: null,
          made_by: key.madeBy,
          form_ids: key.formIds === undefined ? null : JSON.stringify(key.formIds),
          expires_at: key.expiresAt ?? null,
        })
        .execute();
    },
    async find(id) {
      const row = await database.selectFrom("api_key").selectAll().where("id", "=", id).executeTakeFirst();
      return row && parseRow(row);
    },
    async findByHash(hash) {
      const row = await selectUsable(database).where("api_key.hash", "=", hash).executeTakeFirst();
      return row && parseUsable(row);
    },
    async findUsable(id, transaction) {
      const row = await selectUsable(transaction ?? database)
        .where("api_key.id", "=", id)
        .executeTakeFirst();
      return row && parseUsable(row);
    },
    async list(accountId, madeBy) {
      const query = database
        .selectFrom("api_key")
        .innerJoin("person", "person.id", "api_key.made_by")
        .selectAll("api_key")
        .select("person.name as maker_name")
        .where("api_key.account_id", "=", accountId)
        .orderBy("api_key.created_at", "desc")
        .orderBy("api_key.id", "desc");
      const rows = await (madeBy === undefined ? query : query.where("api_key.made_by", "=", madeBy)).execute();
      return rows.map((row) => ({ ...parseRow(row), makerName: row.maker_name }));
    },
    async revoke(transaction, id) {
      const { numDeletedRows } = await transaction.deleteFrom("api_key").where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    async revokeAll(transaction, madeBy, accountId) {
      const query = transaction
        .deleteFrom("api_key")
        .where("made_by", "=", madeBy)
        .returning(["id", "name", "account_id"]);
      const rows = await (accountId === undefined ? query : query.where("account_id", "=", accountId)).execute();
      // Only ids are written there.
      return rows.map(({ id, name, account_id }) => ({
        id: id as ApiKeyId,
        name,
        accountId: account_id as AccountId,
      }));
    },
    async takeEnding(transaction, before, now) {
      const row = await transaction
        .updateTable("api_key")
        .set({ expiry_notified_at: now })
        .where("id", "=", ({ selectFrom }) =>
          selectFrom("api_key as ending")
            .select("ending.id")
            .where("ending.expires_at", "<", before)
            .where("ending.expires_at", ">", now)
            .where("ending.expiry_notified_at", "is", null)
            .where(hasLostNoSecurityMail("ending.account_id", now))
            .orderBy("ending.id")
            .limit(1),
        )
        // If two processes do this, the one that waited finds it done.
        .where("expiry_notified_at", "is", null)
        .returning("account_id")
        .executeTakeFirst();
      return row?.account_id as AccountId | undefined; // only ids are written there
    },
    async noteUse(id, usedAt, unlessSince) {
      const noted = database
        .selectFrom("api_key")
        .select("id")
        .where("id", "=", id)
        .where(({ eb, or }) =>
          // One from later is of a clock that was ahead.
          or([eb("last_used_at", "is", null), eb("last_used_at", "<", unlessSince), eb("last_used_at", ">", usedAt)]),
        );
      // One that is locked is being revoked, or noted: nobody's connection waits for that.
      await database
        .updateTable("api_key")
        .set({ last_used_at: usedAt })
        .where("id", "in", selectForUpdateSkipLocked(database, noted, "api_key"))
        .execute();
    },
  };
}

function selectUsable(target: Database | DatabaseTransaction) {
  return target
    .selectFrom("api_key")
    .innerJoin("person", "person.id", "api_key.made_by")
    .leftJoin("member", (join) =>
      join.onRef("member.organization_id", "=", "api_key.account_id").onRef("member.person_id", "=", "person.id"),
    )
    .selectAll("api_key")
    .select(["member.role", "member.form_ids as member_form_ids"])
    .where(isProven("member"))
    .where("person.disabled_at", "is", null);
}

type UsableRow = Selectable<ApiKeyTable> & { readonly role: string | null; readonly member_form_ids: string | null };

function parseUsable(row: UsableRow): UsableApiKey | undefined {
  const key = parseRow(row);
  const { role, formIds } = readMembership(row.role, () => parseFormIds(row.member_form_ids ?? "[]"));
  if (role === undefined) return undefined;
  const held: readonly Permission[] = permissionsOfRole[role];
  return {
    ...key,
    role,
    formIds: narrow(formIds, key.formIds),
    permissions: key.permissions.filter((permission) => held.includes(permission)),
  };
}

/** The forms of both; `undefined` is all. */
function narrow(
  reached: readonly FormId[] | undefined,
  limits: readonly FormId[] | undefined,
): readonly FormId[] | undefined {
  return reached === undefined || limits === undefined
    ? (limits ?? reached)
    : limits.filter((id) => reached.includes(id));
}

function parseRow(row: Selectable<ApiKeyTable>): ApiKey {
  const written: unknown = JSON.parse(row.permissions);
  if (!Array.isArray(written)) throw new Error("An API key has no list of permissions");
  return {
    id: row.id as ApiKeyId, // only ids are written there
    accountId: row.account_id as AccountId, // as above
    name: row.name,
    prefix: row.prefix,
    permissions: permissions.filter((permission) => written.includes(permission)),
    createdAt: Number(row.created_at),
    lastUsedAt: row.last_used_at === null ? undefined : Number(row.last_used_at),
    madeBy: row.made_by as AccountId, // as above
    formIds: row.form_ids === null ? undefined : parseFormIds(row.form_ids),
    expiresAt: row.expires_at === null ? undefined : Number(row.expires_at),
  };
}
