import { type Compilable, CompiledQuery, sql } from "kysely";
import type { DatabaseTransaction } from "./database.ts";
import { type DatabaseKind, kindOf } from "./kind.ts";
import { RowBatch } from "./row-batch.ts";
import type { Tables } from "./schema.ts";

type Row = readonly unknown[];

/**
 * Inserts many rows but those whose unique key of the columns `key` is taken. Returns the rows that were written, in
 * their order.
 */
export async function insertNewRows<Value extends Row>(
  transaction: DatabaseTransaction,
  {
    table,
    columns,
    key,
  }: { readonly table: keyof Tables; readonly columns: readonly string[]; readonly key: readonly string[] },
  rows: readonly Value[],
): Promise<readonly Value[]> {
  if (rows.length === 0) return rows;
  const conflict = `on conflict (${key.join(", ")}) do nothing`;
  if (kindOf(transaction) === "sqlite") {
    const batch = new RowBatch(rows);
    await transaction.executeQuery(compileBatch({ table, columns, conflict }, batch));
    return rows.filter((_row, index) => batch.isWritten(index));
  }
  const { rows: written } = await transaction.executeQuery<Record<string, unknown>>(
    compileValues({ table, columns, conflict, returning: key }, rows),
  );
  const keyOf = (parts: readonly unknown[]) => JSON.stringify(parts);
  const isNew = new Set(written.map((row) => keyOf(key.map((column) => row[column]))));
  const positions = key.map((column) => columns.indexOf(column));
  // Of two equal keys in one batch the first is the one that was written.
  return rows.filter((row) => isNew.delete(keyOf(positions.map((position) => row[position]))));
}

interface Insert {
  readonly table: keyof Tables;
  readonly columns: readonly string[];
  /** What is done where a key is taken, as SQL; without it the statement fails. */
  readonly conflict?: string;
  /** Columns to read of what was written. */
  readonly returning?: readonly string[];
}

/**
 * A statement that inserts one row or more.
 *
 * Writes the SQL itself: building and printing a query tree of a thousand values costs more than what the database does
 * with it. SQLite gets one prepared statement, run row by row; PostgreSQL, where each statement is a journey, gets one
 * statement for all (measured on SQLite, per row: 6 µs, against 19 µs for one statement of 64 rows with `returning`).
 */
export function compileInsert<Result>(
  transaction: DatabaseTransaction,
  insert: Insert,
  rows: readonly Row[],
): CompiledQuery<Result> {
  return kindOf(transaction) === "sqlite" ? compileBatch(insert, new RowBatch(rows)) : compileValues(insert, rows);
}

function compileBatch<Result>(insert: Insert, batch: RowBatch): CompiledQuery<Result> {
  return CompiledQuery.raw(print(insert, `(${insert.columns.map(() => "?").join(", ")})`), [batch]);
}

function compileValues<Result>(insert: Insert, rows: readonly Row[]): CompiledQuery<Result> {
  let next = 1;
  const values = rows.map(() => `(${insert.columns.map(() => `$${next++}`).join(", ")})`).join(", ");
  return CompiledQuery.raw(print(insert, values), rows.flat());
}

function print({ table, columns, conflict = "", returning }: Insert, values: string): string {
  const read = returning === undefined ? "" : ` returning ${returning.join(", ")}`;
  return `insert into ${table} (${columns.join(", ")}) values ${values} ${conflict}${read}`;
}

/** `column in (…)` for any number of texts with one parameter and one statement text. */
export function isOneOf(transaction: DatabaseTransaction, column: string, values: readonly string[]) {
  return kindOf(transaction) === "postgres"
    ? sql<boolean>`${sql.ref(column)} = any(${values})`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`;
}

/**
 * A query whose only parameter is the list of texts of an `isOneOf`, printed once for each kind of database: in a
 * transaction of many small statements most of the time goes into building and printing them.
 */
export function compileOnce<Result>(
  build: (transaction: DatabaseTransaction, values: readonly string[]) => Compilable<Result>,
): (transaction: DatabaseTransaction, values: readonly string[]) => CompiledQuery<Result> {
  const texts = new Map<DatabaseKind, string>();
  return (transaction, values) => {
    const kind = kindOf(transaction);
    const text = texts.get(kind) ?? build(transaction, []).compile().sql;
    texts.set(kind, text);
    return CompiledQuery.raw(text, [kind === "postgres" ? values : JSON.stringify(values)]);
  };
}
