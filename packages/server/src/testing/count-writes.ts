import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";

/** Gives a function whose number is another one after every row that is inserted, changed or deleted, even if it was undone. */
export async function watchWrites(database: Database): Promise<() => Promise<number>> {
  // Rows that this connection, the only one, has written since it was opened.
  if (kindOf(database) === "sqlite") return () => read(database, sql`select total_changes() as writes`);
  await sql`create sequence row_write`.execute(database);
  await sql`
    create function count_row_write() returns trigger language plpgsql
    as 'begin perform nextval(''row_write''); return null; end'`.execute(database);
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables
    where table_schema = 'public' and table_type = 'BASE TABLE'
      -- Folded in the background; what makes a row there has written another one, which counts.
      and table_name <> 'counted_bytes'`.execute(database);
  for (const { name } of tables.rows)
    await sql`
      create trigger count_row_write after insert or update or delete on ${sql.table(name)}
      for each row execute function count_row_write()`.execute(database);
  // Asked before and after each of many requests: to look at every table for its newest row took most of their time.
  return () => read(database, sql`select last_value + is_called::int as writes from row_write`);
}

async function read(database: Database, query: ReturnType<typeof sql<{ writes: number }>>): Promise<number> {
  const { rows } = await query.execute(database);
  return rows[0]?.writes ?? Number.NaN;
}
