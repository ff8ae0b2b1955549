import { type ColumnDataType, type Kysely, sql } from "kysely";

const time: ColumnDataType = "bigint";

/**
 * Who made each key pair, and when somebody first said that the private half opened something. Both stay null for keys from
 * before, and for those that a process of an older version makes alongside this one: of them nothing is known, so nothing is
 * warned of. `form_notice` remembers of which version its owner was notified.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable("form_key").addColumn("made_by", "text").execute();
  await schema.alterTable("form_key").addColumn("proved_at", time).execute();
  await schema
    .alterTable("form_notice")
    .addColumn("unproved_version", "integer", (c) => c.notNull().defaultTo(sql`0`))
    .execute();
}
