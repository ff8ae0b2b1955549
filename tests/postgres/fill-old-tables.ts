import { sql } from "kysely";
import type { Database } from "../../packages/server/src/database/database.ts";

/** Rows of an older version's PostgreSQL database: `count` submissions of 1,000 forms, each with an event, a delivery and an attempt. */
export async function fillOldTables(database: Database, count: number): Promise<void> {
  const id = (kind: string) => sql.raw(`'${kind}_bulk' || lpad(i::text, 12, '0')`);
  const form = sql.raw("'form_bulk' || lpad((i % 1000)::text, 12, '0')");
  const rows = sql.raw(`generate_series(1, ${count}) i`);
  const inserts = [
    sql`insert into submission (form_id, id, key_version, version, data, key, iv, timestamp, received_at)
      select ${form}, ${id("sub")}, 1, 'sp1', decode(repeat(md5(i::text), 20), 'hex'), decode(md5(i::text), 'hex'), '\\x00', i, i
      from ${rows}`,
    sql`insert into event (id, form_id, submission_id, kind, occurred_at, body)
      select ${id("evt")}, ${form}, ${id("sub")}, 'submission.created', i, decode(repeat(md5(i::text), 20), 'hex') from ${rows}`,
    sql`insert into delivery (id, event_id, form_id, is_test, state, attempts, created_at, finished_at, last_status)
      select ${id("dlv")}, ${id("evt")}, ${form}, 0, 'delivered', 1, ${sql.raw("extract(epoch from now())::bigint * 1000")}, ${sql.raw("extract(epoch from now())::bigint * 1000")}, 204 from ${rows}`,
    sql`insert into attempt (delivery_id, number, started_at, duration, status_code, url, secret_used)
      select ${id("dlv")}, 1, i, 5, 204, 'https://receiver.example/', 'current' from ${rows}`,
  ];
  for (const insert of inserts) await insert.execute(database);
  await sql`analyze`.execute(database);
}
