import { type Kysely, sql } from "kysely";

/**
 * Chains each organization's audit log (docs/audit-log.md). A process of an older version adds entries without a number: they
 * are chained by the next newer process that looks. The organizations that have entries by now are noted, so that their logs
 * say which entries are from before.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  const { schema } = database;
  await schema.alterTable("audit_entry").addColumn("sequence", "bigint").execute();
  await schema.alterTable("audit_entry").addColumn("hash", "text").execute();
  await sql`
    create unique index audit_entry_chain on audit_entry (account_id, sequence)
    where sequence is not null`.execute(database);
  await sql`
    create index audit_entry_unchained on audit_entry (account_id, occurred_at, id)
    where sequence is null`.execute(database);
  await schema
    .createTable("audit_head")
    .addColumn("account_id", "text", (c) => c.primaryKey())
    // The newest entry in the chain; 0 and null before the first.
    .addColumn("sequence", "bigint", (c) => c.notNull())
    .addColumn("hash", "text")
    // The newest entry that was removed for its age; 0 and null before the first.
    .addColumn("removed_sequence", "bigint", (c) => c.notNull().defaultTo(0))
    .addColumn("removed_hash", "text")
    .addColumn("removed_occurred_at", "bigint")
    // 1 until the entries of before are in the chain.
    .addColumn("takes_in", "integer", (c) => c.notNull().defaultTo(0))
    .execute();
  await sql`
    insert into audit_head (account_id, sequence, takes_in)
    select distinct account_id, 0, 1 from audit_entry`.execute(database);
}
