import type { AccountId, ApiKeyId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import { permissions } from "../access/permission.ts";
import type { ApiKeyTable } from "../database/account-tables.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { ApiKey } from "./api-key.ts";

export interface ApiKeyStore {
  count(transaction: DatabaseTransaction, accountId: AccountId): Promise<number>;
  /** `hash` is the SHA-256 of the key's value, hex; the value itself is nowhere. */
  create(transaction: DatabaseTransaction, key: ApiKey, hash: string): Promise<void>;
  find(id: ApiKeyId): Promise<ApiKey | undefined>;
  /** `undefined` also while its account is disabled. */
  findByHash(hash: string): Promise<ApiKey | undefined>;
  /** All keys of the account, newest first. */
  list(accountId: AccountId): Promise<readonly ApiKey[]>;
  /** Whether there was such a key; of two simultaneous revocations one gets `true`. */
  revoke(transaction: DatabaseTransaction, id: ApiKeyId): Promise<boolean>;
  /** Revokes every key of the account. */
  revokeAll(transaction: DatabaseTransaction, accountId: AccountId): Promise<readonly Pick<ApiKey, "id" | "name">[]>;
  /** Writes when a key was used, unless a time at or after `unlessSince` is written already. */
  noteUse(id: ApiKeyId, usedAt: number, unlessSince: number): Promise<void>;
}

export function createApiKeyStore(database: Database): ApiKeyStore {
  return {
    async count(transaction, accountId) {
      const { count } = await transaction
        .selectFrom("api_key")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .where("account_id", "=", accountId)
        .executeTakeFirstOrThrow();
      return Number(count);
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
        })
        .execute();
    },
    async find(id) {
      const row = await database.selectFrom("api_key").selectAll().where("id", "=", id).executeTakeFirst();
      return row && parseRow(row);
    },
    async findByHash(hash) {
      const row = await database
        .selectFrom("api_key")
        .innerJoin("account_holder", "account_holder.id", "api_key.account_id")
        .selectAll("api_key")
        .where("hash", "=", hash)
        .where("disabled_at", "is", null)
        .executeTakeFirst();
      return row && parseRow(row);
    },
    async list(accountId) {
      const rows = await database
        .selectFrom("api_key")
        .selectAll()
        .where("account_id", "=", accountId)
        .orderBy("created_at", "desc")
        .orderBy("id", "desc")
        .execute();
      return rows.map(parseRow);
    },
    async revoke(transaction, id) {
      const { numDeletedRows } = await transaction.deleteFrom("api_key").where("id", "=", id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    async revokeAll(transaction, accountId) {
      const rows = await transaction
        .deleteFrom("api_key")
        .where("account_id", "=", accountId)
        .returning(["id", "name"])
        .execute();
      return rows.map(({ id, name }) => ({ id: id as ApiKeyId, name })); // only ids are written there
    },
    async noteUse(id, usedAt, unlessSince) {
      await database
        .updateTable("api_key")
        .set({ last_used_at: usedAt })
        .where("id", "=", id)
        .where(({ eb, or }) => or([eb("last_used_at", "is", null), eb("last_used_at", "<", unlessSince)]))
        .execute();
    },
  };
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
  };
}
