import { createHash } from "node:crypto";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { batchOf, type CopiedTable } from "../database/table-records.ts";
import { copyKey } from "../instance/instance.ts";

/** How far a copy is: rows up to `place` of `table`, and all tables before it, are there. */
export interface CopyState {
  /** The id of the instance that is copied. */
  readonly source: string;
  readonly table: CopiedTable;
  readonly place: number;
}

export type Row = Readonly<Record<string, unknown>>;

/** How many rows there are and what is in them, whatever their order. */
export interface TableDigest {
  readonly rows: number;
  readonly digest: string;
}

export interface Column {
  readonly name: string;
  readonly type: string;
}

/** `undefined` in a database that was never started. */
export async function findInstanceId(database: Database): Promise<string | undefined> {
  const row = await database.selectFrom("instance").select("value").where("key", "=", "id").executeTakeFirst();
  return row?.value;
}

export async function listColumns(target: Database, table: CopiedTable): Promise<Column[]> {
  const { rows } = await sql<Column>`
    select column_name as name, data_type as type from information_schema.columns
    where table_schema = current_schema() and table_name = ${table} order by column_name`.execute(target);
  return rows;
}

export async function countRows(database: Database, table: CopiedTable): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(database);
  return Number(rows[0]?.count);
}

/** The next rows of a SQLite table in the order in which they lie, with their place. */
export async function readRows(
  source: Database,
  table: CopiedTable,
  after: number,
): Promise<(Row & { place: number })[]> {
  const { rows } = await sql<Row & { place: number }>`
    select rowid as place, * from ${sql.table(table)} where rowid > ${after} order by rowid limit ${batchOf(table)}`.execute(
    source,
  );
  return rows;
}

/** Writes rows and how far the copy is in one transaction: a kill leaves both or neither. */
export async function writeRows(
  target: Database,
  columns: readonly Column[],
  rows: readonly Row[],
  state: CopyState,
): Promise<void> {
  await target.transaction().execute(async (transaction) => {
    // First, so that who asks how far the copy is waits for the commit of a batch that a killed one left under way.
    await saveState(transaction, state);
    await insertRows(transaction, columns, rows, state.table);
  });
}

async function insertRows(
  transaction: DatabaseTransaction,
  columns: readonly Column[],
  rows: readonly Row[],
  table: CopiedTable,
): Promise<void> {
  const names = sql.join(columns.map(({ name }) => sql.ref(name)));
  const values = rows.map((row) => sql`(${sql.join(columns.map((column) => toTarget(column, row[column.name])))})`);
  await sql`insert into ${sql.table(table)} (${names}) values ${sql.join(values)}`.execute(transaction);
}

/** The first row that the target refuses, written alone. */
export async function findRefusedRow(
  target: Database,
  columns: readonly Column[],
  rows: readonly Row[],
  state: CopyState,
): Promise<Row | undefined> {
  for (const row of rows) {
    const isRefused = await target
      .transaction()
      .execute(async (transaction) => {
        await insertRows(transaction, columns, [row], state.table);
        throw taken;
      })
      .catch((error: unknown) => error !== taken);
    if (isRefused) return row;
  }
  return undefined;
}

/** Thrown to leave nothing of a row that was taken. */
const taken = new Error("The target takes this row");

export async function loadState(target: Database | DatabaseTransaction): Promise<CopyState | undefined> {
  const row = await target
    .selectFrom("instance")
    .select("value")
    .where("key", "=", copyKey)
    .forUpdate()
    .executeTakeFirst();
  return row && (JSON.parse(row.value) as CopyState); // written by `saveState`
}

/** How long a commit is waited for whose connection is gone. */
const commitSeconds = 10;

/**
 * Whether `finish`, which failed, was committed even so: the answer to a commit may be lost. Waits for a commit that is under way, and
 * throws where the target can't be asked, or where it is not over in time.
 */
export async function isFinished(target: Database): Promise<boolean> {
  return target.transaction().execute(async (transaction) => {
    await sql`set local lock_timeout = ${sql.lit(`${commitSeconds}s`)}`.execute(transaction);
    return (await loadState(transaction)) === undefined;
  });
}

export async function saveState(target: Database | DatabaseTransaction, state: CopyState): Promise<void> {
  const value = JSON.stringify(state);
  await target
    .insertInto("instance")
    .values({ key: copyKey, value })
    .onConflict((conflict) => conflict.column("key").doUpdateSet({ value }))
    .execute();
}

/** Numbers continue after the highest that the source ever gave, and the target may be served. */
export async function finish(
  source: Database,
  target: Database,
  atEnd: (transaction: DatabaseTransaction) => Promise<void> = async () => {},
): Promise<void> {
  const { rows } = await sql<{ name: string; seq: number }>`select name, seq from sqlite_sequence`.execute(source);
  await target.transaction().execute(async (transaction) => {
    for (const { name, seq } of rows) {
      if (seq < 1) continue;
      const column = name === "submission" ? "sequence" : "id";
      await sql`select setval(pg_get_serial_sequence(${name}, ${column}), ${seq})`.execute(transaction);
    }
    await atEnd(transaction);
    await transaction.deleteFrom("instance").where("key", "=", copyKey).execute();
  });
}

export async function digestSource(
  source: Database,
  table: CopiedTable,
  columns: readonly Column[],
): Promise<TableDigest> {
  const sum = createSum(columns);
  for (let place = 0; ; ) {
    const rows = await readRows(source, table, place);
    for (const row of rows) sum.add(row);
    const last = rows.at(-1);
    if (last === undefined) return sum.result();
    place = last.place;
  }
}

export async function digestTarget(
  target: Database,
  table: CopiedTable,
  columns: readonly Column[],
): Promise<TableDigest> {
  const sum = createSum(columns);
  return target.transaction().execute(async (transaction) => {
    // The copy's own row is not the instance's.
    const own = table === "instance" ? sql`where key <> ${sql.lit(copyKey)}` : sql``;
    await sql`declare copied no scroll cursor for select * from ${sql.table(table)} ${own}`.execute(transaction);
    for (;;) {
      const { rows } = await sql<Row>`fetch ${sql.lit(batchOf(table))} from copied`.execute(transaction);
      if (rows.length === 0) return sum.result();
      for (const row of rows) sum.add(row);
    }
  });
}

/** The sum of the rows' SHA-256: the same in whatever order the two databases tell them. */
export function createSum(columns: readonly Column[]) {
  let rows = 0;
  let total = 0n;
  return {
    add(row: Row) {
      const hash = createHash("sha256");
      for (const column of columns) {
        const bytes = toBytes(column, row[column.name]);
        // The length counts too, so that nothing can move from one column to the next.
        hash.update(`${column.name} ${bytes?.length ?? "null"} `);
        if (bytes !== undefined) hash.update(bytes);
      }
      rows += 1;
      total = BigInt.asUintN(256, total + BigInt(`0x${hash.digest("hex")}`));
    },
    result: (): TableDigest => ({ rows, digest: total.toString(16) }),
  };
}

/** SQLite keeps truth as 0 and 1; everything else PostgreSQL takes as it comes. */
function toTarget({ type }: Column, value: unknown): unknown {
  return type === "boolean" && value !== null ? value === 1 : value;
}

/** The same bytes for the same value of either database; `undefined` for null. */
function toBytes({ type }: Column, value: unknown): Uint8Array | undefined {
  if (value === null || value === undefined) return undefined;
  if (value instanceof Uint8Array) return value;
  if (type === "boolean") return Buffer.from(String(Number(value)));
  if (type.startsWith("timestamp") || type === "date")
    return Buffer.from(String(new Date(value as string | Date).getTime())); // one of the two
  return Buffer.from(String(value));
}
