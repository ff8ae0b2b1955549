import { sql } from "kysely";
import type { Database } from "../database/database.ts";
import { kindOf } from "../database/kind.ts";

/** A text that is another one after every row that is inserted, changed or deleted. */
export async function markWrites(database: Database): Promise<string> {
  if (kindOf(database) === "sqlite") {
    // Rows that this connection, the only one, has written since it was opened.
    const { rows } = await sql<{ writes: number }>`select total_changes() as writes`.execute(database);
    return String(rows[0]?.writes);
  }
  const tables = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' order by table_name`.execute(
    database,
  );
  // xmin is the transaction that wrote a row.
  const marks = tables.rows.map(
    ({ name }) =>
      sql`select count(*) as rows, coalesce(max(cast(cast(xmin as text) as bigint)), 0) as newest from ${sql.table(name)}`,
  );
  const { rows } = await sql<{ rows: number; newest: number }>`${sql.join(marks, sql` union all `)}`.execute(database);
  return JSON.stringify(rows);
}
