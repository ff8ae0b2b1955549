import { type Expression, type ExpressionBuilder, sql } from "kysely";
import { logOwnerPrefix } from "../database/counted-tables.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { Tables } from "../database/schema.ts";

/** So many rows of one owner are folded into one. */
const foldedMin = 8;
const ownersAtOnce = 100;

/** Ids of organizations, or a statement that selects them. Kysely compares with either. */
export type AccountIds = readonly string[] | Expression<{ readonly id: string }>;

/** The bytes of the organizations' audit logs. */
export function logBytesOf(target: Database | DatabaseTransaction, accountIds: AccountIds) {
  return target
    .selectFrom("counted_bytes")
    .select(sql<number>`cast(coalesce(sum(counted_bytes.bytes), 0) as bigint)`.as("bytes"))
    .where("owner_id", "in", ({ selectFrom }) =>
      selectFrom("organization")
        .select(sql<string>`${logOwnerPrefix} || organization.id`.as("id"))
        .where("organization.id", "in", accountIds as readonly string[]),
    );
}

/** The bytes of everything but submissions and logs that organizations and their forms, or a person, store. `accountIds`: of organizations or persons. */
export function otherBytesOf(target: Database | DatabaseTransaction, accountIds: AccountIds) {
  return target
    .selectFrom("counted_bytes")
    .select(sql<number>`cast(coalesce(sum(counted_bytes.bytes), 0) as bigint)`.as("bytes"))
    .where(isOwnedBy(accountIds));
}

/** The same of each of these. */
export function otherBytesOfEach(target: Database | DatabaseTransaction, accountIds: readonly string[]) {
  const owner = sql<string>`coalesce(form.account_id, counted_bytes.owner_id)`;
  return target
    .selectFrom("counted_bytes")
    .leftJoin("form", "form.id", "counted_bytes.owner_id")
    .select([owner.as("account_id"), sql<number>`cast(sum(counted_bytes.bytes) as bigint)`.as("bytes")])
    .where(isOwnedBy(accountIds))
    .groupBy(owner);
}

function isOwnedBy(accountIds: AccountIds) {
  return ({ eb, or, selectFrom }: ExpressionBuilder<Tables, "counted_bytes">) =>
    or([
      eb("counted_bytes.owner_id", "in", accountIds as readonly string[]), // Kysely takes an expression too
      eb(
        "counted_bytes.owner_id",
        "in",
        selectFrom("form")
          .select("form.id")
          .where("form.account_id", "in", accountIds as readonly string[]), // as above
      ),
    ]);
}

/**
 * Without logs, of every account, as a table to join. It names local tables alone, so it can be joined on a cluster too. Cast: SQLite joins
 * a column by an index that it makes for it, an expression row by row.
 */
export const otherBytesByAccount = sql<{ account_id: string; bytes: number }>`(
  select cast(coalesce(form.account_id, counted_bytes.owner_id) as text) as account_id, sum(counted_bytes.bytes) as bytes
  from counted_bytes left join form on form.id = counted_bytes.owner_id
  group by coalesce(form.account_id, counted_bytes.owner_id))`;

/** The bytes of every account's audit log, in the same way. */
export const logBytesByAccount = sql<{ account_id: string; bytes: number }>`(
  select cast(substr(owner_id, ${sql.lit(logOwnerPrefix.length + 1)}) as text) as account_id, sum(bytes) as bytes
  from counted_bytes where substr(owner_id, 1, ${sql.lit(logOwnerPrefix.length)}) = ${sql.lit(logOwnerPrefix)}
  group by substr(owner_id, ${sql.lit(logOwnerPrefix.length + 1)}))`;

/**
 * Folds the rows of owners with many into one each, so that a sum stays short, and removes those of owners who store nothing any more. `false` when there was nothing to fold. Another
 * process that folds the same owner finds nothing left.
 */
export async function foldCountedBytes(database: Database): Promise<boolean> {
  const owners = await database
    .selectFrom("counted_bytes")
    .select("owner_id")
    .groupBy("owner_id")
    .having(({ eb, fn, or }) => or([eb(fn.countAll(), ">", foldedMin), eb(fn.sum("bytes"), "=", 0)]))
    .limit(ownersAtOnce)
    .execute();
  for (const { owner_id } of owners)
    await database.transaction().execute(async (transaction) => {
      const rows = await transaction
        .deleteFrom("counted_bytes")
        .where("owner_id", "=", owner_id)
        .returning("bytes")
        .execute();
      const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0);
      if (bytes !== 0) await transaction.insertInto("counted_bytes").values({ owner_id, bytes }).execute();
    });
  return owners.length > 0;
}
