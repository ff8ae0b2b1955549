import { type Kysely, sql } from "kysely";
import { kindOf } from "../kind.ts";

/**
 * Where processes on one PostgreSQL database count requests together; on SQLite a single process counts in its memory.
 * Columns in the order and with the names of the library that counts. Unlogged: a crash may forget a minute's counts, and
 * each request writes one row less to the log that the submissions wait for.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  if (kindOf(database) !== "postgres") return;
  await database.schema
    .createTable("rate_limit")
    .modifyFront(sql`unlogged`)
    .addColumn("key", "text", (c) => c.primaryKey())
    .addColumn("points", "integer", (c) => c.notNull())
    .addColumn("expire", "bigint")
    .execute();
}
