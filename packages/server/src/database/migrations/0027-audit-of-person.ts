import { type Kysely, sql } from "kysely";

/**
 * Finds the audit entries of one person without a look at all others: those of their sessions, those about them, and those in the log
 * of their own account that name nobody. It adds indexes, which a process of an older version keeps up without knowing.
 */
export async function up(database: Kysely<unknown>): Promise<void> {
  await sql`create index audit_entry_person on audit_entry (person_id, id) where person_id is not null`.execute(
    database,
  );
  await sql`
    create index audit_entry_subject on audit_entry (target_id, id)
    where substr(target_id, 1, 4) = 'acc_'`.execute(database);
  await sql`
    create index audit_entry_unnamed on audit_entry (account_id, id)
    where person_id is null and actor <> 'api_key'`.execute(database);
}
