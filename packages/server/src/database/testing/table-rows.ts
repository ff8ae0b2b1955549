import { sql } from "kysely";
import { bytesOfRow, countedTables, ownerOfRow } from "../counted-tables.ts";
import type { Database } from "../database.ts";
import { isOwnerTable, type Lead, type OwnerTable, type TableName } from "../table-record.ts";
import { recordOf, tableNames } from "../table-records.ts";
import type { World } from "./fill-tables.ts";

export type Row = Readonly<Record<string, unknown>>;
/** All rows of all tables. */
export type Rows = ReadonlyMap<TableName, readonly Row[]>;

export async function readRows(database: Database): Promise<Rows> {
  const present = new Set((await database.introspection.getTables()).map(({ name }) => name));
  const rows = new Map<TableName, readonly Row[]>();
  for (const table of tableNames.filter((name) => present.has(name)))
    rows.set(table, (await sql<Row>`select * from ${sql.table(table)}`.execute(database)).rows);
  return rows;
}

/** The ids of what goes with a row, by its kind, and the addresses of the persons among them. */
type Ids = Readonly<Record<OwnerTable | "email", Set<unknown>>>;

/** The row of `owner`, and all that goes with it as the records say: also what belongs to what belongs to it. */
export function idsOf(rows: Rows, owner: OwnerTable, world: World): Ids {
  const ids: Ids = {
    ...{ form: new Set(), submission: new Set(), delivery: new Set(), mail: new Set() },
    ...{ person: new Set(), organization: new Set(), email: new Set() },
  };
  ids[owner].add(world[owner]);
  if (owner === "person") ids.email.add(world.email);
  for (let found = 0; ; ) {
    for (const [table, belonging] of ownedRows(rows, ids))
      if (isOwnerTable(table)) for (const { id } of belonging) ids[table].add(id);
    const now = Object.values(ids).reduce((sum, { size }) => sum + size, 0);
    if (now === found) return ids;
    found = now;
  }
}

const leadsThere = (row: Row, lead: Lead, ids: Ids) => ids["key" in lead ? "email" : lead.to].has(row[lead.by]);

/** The rows, by their table, that go with what has these ids; none of tables without any. */
export function ownedRows(rows: Rows, ids: Ids): ReadonlyMap<TableName, readonly Row[]> {
  const owned = new Map<TableName, readonly Row[]>();
  for (const [table, all] of rows) {
    const leads = recordOf(table).belongsTo.filter(({ goes }) => goes !== "emptied");
    const belonging = all.filter(
      (row) => (isOwnerTable(table) && ids[table].has(row.id)) || leads.some((lead) => leadsThere(row, lead, ids)),
    );
    if (belonging.length > 0) owned.set(table, belonging);
  }
  return owned;
}

/** Columns with content, in rows that stay without it when what they belong to goes: `event.body`. */
export function listLeftContent(rows: Rows, ids: Ids): readonly string[] {
  return [...rows].flatMap(([table, all]) => {
    const { belongsTo, bytes } = recordOf(table);
    const leads = belongsTo.filter(({ goes }) => goes === "emptied");
    const columns = bytes.kind === "rows" ? bytes.columns : [];
    const emptied = all.filter((row) => leads.some((lead) => leadsThere(row, lead, ids)));
    return emptied.flatMap((row) =>
      columns.filter((column) => row[column] != null).map((column) => `${table}.${column}`),
    );
  });
}

/** The bytes that are counted for each owner, and those that their rows have. Owners of nothing are left out. */
export async function readBytes(database: Database) {
  const sum = async (rows: string) => {
    const found = await sql
      .raw<{ owner: string; bytes: number }>(
        `select owner, sum(bytes) as bytes from (${rows}) as counted group by owner having sum(bytes) <> 0 order by owner`,
      )
      .execute(database);
    return found.rows.map(({ owner, bytes }) => [owner, Number(bytes)]);
  };
  const selects = countedTables.map(
    ({ table, bytes }) =>
      `select ${ownerOfRow(bytes, table)} as owner, ${bytesOfRow(bytes, table)} as bytes from ${table}${bytes.unless === undefined ? "" : ` where ${bytes.unless} is not null`}`,
  );
  return {
    counted: await sum("select owner_id as owner, bytes from counted_bytes"),
    stored: await sum(selects.join(" union all ")),
  };
}
