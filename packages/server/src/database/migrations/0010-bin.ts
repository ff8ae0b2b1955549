import { type ColumnDataType, type Kysely, sql } from "kysely";
import { kindOf } from "../kind.ts";

const time: ColumnDataType = "bigint";

/**
 * The bin: submissions that somebody deleted, and that can be restored for a while (docs/decisions/0015-bin.md). They lie
 * in a table of their own, so that lists, counts and the writing of submissions know nothing of it and cost what they did.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  const isPostgres = kindOf(database) === "postgres";
  const bytes: ColumnDataType = isPostgres ? "bytea" : "blob";
  await schema
    .createTable("submission_bin")
    // The one that the submission had: it is restored to its place.
    .addColumn("sequence", isPostgres ? "bigint" : "integer", (c) => c.primaryKey())
    .addColumn("form_id", "text", (c) => c.notNull())
    .addColumn("id", "text", (c) => c.notNull())
    .addColumn("key_version", "integer", (c) => c.notNull())
    .addColumn("version", "text", (c) => c.notNull())
    .addColumn("data", bytes)
    .addColumn("key", bytes)
    .addColumn("iv", bytes)
    .addColumn("fields", "text")
    .addColumn("timestamp", time, (c) => c.notNull())
    .addColumn("received_at", time, (c) => c.notNull())
    .addColumn("binned_at", time, (c) => c.notNull())
    .execute();
  await schema.createIndex("submission_bin_id").on("submission_bin").columns(["form_id", "id"]).unique().execute();
  await schema
    .createIndex("submission_bin_list")
    .on("submission_bin")
    .columns(["form_id", "binned_at", "sequence"])
    .execute();
  await schema
    .createIndex("submission_bin_received")
    .on("submission_bin")
    .columns(["form_id", "received_at"])
    .execute();
  // One row for each form that has something in the bin.
  await schema
    .createTable("form_bin")
    .addColumn("form_id", "text", (c) => c.primaryKey())
    .addColumn("stored", time, (c) => c.notNull())
    .addColumn("visible_from", time, (c) => c.notNull().defaultTo(sql`0`))
    .execute();
}
