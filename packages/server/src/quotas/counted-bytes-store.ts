import { type Expression, type ExpressionBuilder, sql } from "kysely";
import { logOwnerPrefix } from "../database/counted-tables.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { createRound } from "../database/round.ts";
import type { Tables } from "../database/schema.ts";

/** So many rows of one owner are folded into one. */
const foldedMin = 8;
const ownersAtOnce = 200;

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

/** The same of each of these. */
export function logBytesOfEach(database: Database, accountIds: readonly string[]) {
  return database
    .selectFrom("counted_bytes")
    .innerJoin("organization", (join) =>
      join.on("counted_bytes.owner_id", "=", sql<string>`${sql.lit(logOwnerPrefix)} || organization.id`),
    )
    .select(["organization.id", sql<number>`cast(sum(counted_bytes.bytes) as bigint)`.as("bytes")])
    .where("organization.id", "in", accountIds)
    .groupBy("organization.id");
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

/**
 * Folds the rows of owners with many into one each, so that a sum stays short, and removes those of owners who store nothing any more. A
 * step looks at some owners, and the next one at those after them; `false` ends a round in which there was nothing to fold. Another
 * process that folds the same owner finds nothing left.
 */
export function createFoldCountedBytes(database: Database): () => Promise<boolean> {
  const foldInTurn = createRound({
    max: ownersAtOnce,
    find: (after, max) => listOwners(database, after, max),
    findBlocked: (ids) => listFolded(database, ids),
    async work(id, _context: undefined) {
      await database.transaction().execute((transaction) => foldOwner(transaction, id));
      return true;
    },
  });
  return () => foldInTurn(undefined);
}

async function listOwners(database: Database, after: string, max: number): Promise<readonly string[]> {
  const rows = await database
    .selectFrom("counted_bytes")
    .select("owner_id")
    .distinct()
    .where("owner_id", ">", after)
    .orderBy("owner_id")
    .limit(max)
    .execute();
  return rows.map((row) => row.owner_id);
}

/** The owners of these with nothing to fold. */
async function listFolded(database: Database, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await database
    .selectFrom("counted_bytes")
    .select("owner_id")
    .where("owner_id", "in", ids)
    .groupBy("owner_id")
    .having(({ eb, fn, and }) => and([eb(fn.countAll(), "<=", foldedMin), eb(fn.sum("bytes"), "<>", 0)]))
    .execute();
  return new Set(rows.map((row) => row.owner_id));
}

async function foldOwner(transaction: DatabaseTransaction, owner_id: string): Promise<void> {
  const rows = await transaction
    .deleteFrom("counted_bytes")
    .where("owner_id", "=", owner_id)
    .returning("bytes")
    .execute();
  const bytes = rows.reduce((sum, row) => sum + Number(row.bytes), 0);
  if (bytes !== 0) await transaction.insertInto("counted_bytes").values({ owner_id, bytes }).execute();
}
