import { type RawBuilder, sql } from "kysely";
import type { Database } from "./database.ts";
import { isDatabaseUnreachable } from "./errors.ts";
import { createFailedRows } from "./failed-rows.ts";
import { kindOf } from "./kind.ts";
import type { TableName } from "./table-record.ts";

/** The name of a column in a condition. */
type Name = (column: string) => RawBuilder<number>;

export interface RowRemoval {
  readonly table: TableName;
  /** The columns of its primary key. */
  readonly key: readonly [string, ...string[]];
  /** The column of whole numbers that has the rows that are due together in its order. */
  readonly by: string;
  /** The condition of a row that goes. */
  readonly isDue: (now: number, name: Name) => RawBuilder<boolean>;
}

/** Rows that one statement removes. */
const batch = 1000;
/** Rows of one look for those that can't be removed: a statement for each, if there is one among them. */
const batchApart = 100;

type Row = Readonly<Record<string, string | number>>;

/**
 * Removes rows that are due, a batch in one statement; `false` when there was none. Where the database refuses to remove one, a step
 * goes through the others, some at a time, and a `FailedRowsError` with those that stay is thrown at the end.
 */
export function createRowRemoval(
  database: Database,
  { table, key, by, isDue }: RowRemoval,
): (now: number) => Promise<boolean> {
  const [target, keyColumns] = [sql.table(table), sql.join(key.map((column) => sql.ref(column)))];
  const order = [by, ...key.filter((column) => column !== by)];
  const orderColumns = sql.join(order.map((column) => sql.ref(column)));
  const known = kindOf(database) === "sqlite" ? unindexed : indexed;
  const failed = createFailedRows();
  /** The last row of the look before, while rows are looked for that can't be removed. */
  let place: Row | "start" | undefined;
  let isWorking = false;

  return async (now) => {
    if (place === undefined)
      try {
        return await removeBatch(now);
      } catch (error) {
        if (isDatabaseUnreachable(error)) throw error;
        place = "start";
      }
    const rows = await find(now, place);
    if (await removeEach(now, rows)) isWorking = true;
    place = rows.length < batchApart ? undefined : rows.at(-1);
    if (place !== undefined) return true;
    const wasWorking = isWorking;
    isWorking = false;
    failed.throwAny();
    return wasWorking;
  };

  async function removeBatch(now: number): Promise<boolean> {
    // Said again of the row itself: one that changes meanwhile is looked at once more, without the query inside.
    const { numAffectedRows = 0n } = await sql`delete from ${target} where ${isDue(now, known)}
      and (${keyColumns}) in (select ${keyColumns} from ${target} where ${isDue(now, indexed)} limit ${sql.lit(batch)})`.execute(
      database,
    );
    return numAffectedRows > 0n;
  }

  async function find(now: number, after: Row | "start"): Promise<readonly Row[]> {
    const following =
      after === "start" ? sql`` : sql`and (${orderColumns}) > (${sql.join(order.map((column) => after[column]))})`;
    const { rows } = await sql<Row>`select ${orderColumns} from ${target} where ${isDue(now, indexed)} ${following}
      order by ${orderColumns} limit ${sql.lit(batchApart)}`.execute(database);
    return rows;
  }

  /** Whether it has removed any: all in one statement, or each in its own. */
  async function removeEach(now: number, rows: readonly Row[]): Promise<boolean> {
    if (rows.length === 0) return false;
    try {
      return await remove(now, rows);
    } catch (error) {
      if (isDatabaseUnreachable(error)) throw error;
    }
    let isAny = false;
    for (const row of rows)
      try {
        if (await remove(now, [row])) isAny = true;
      } catch (error) {
        failed.add(key.map((column) => row[column]).join(" "), error);
      }
    return isAny;
  }

  async function remove(now: number, rows: readonly Row[]): Promise<boolean> {
    const each = rows.map(
      (row) =>
        sql`(${sql.join(
          key.map((column) => sql`${sql.ref(column)} = ${row[column]}`),
          sql` and `,
        )})`,
    );
    const { numAffectedRows = 0n } = await sql`delete from ${target} where ${isDue(now, known)}
      and (${sql.join(each, sql` or `)})`.execute(database);
    return numAffectedRows > 0n;
  }
}

const indexed: Name = (column) => sql.ref(column);
/** SQLite would walk along the index of what is due, where the rows are named by their keys. */
const unindexed: Name = (column) => sql`+${sql.ref(column)}`;
