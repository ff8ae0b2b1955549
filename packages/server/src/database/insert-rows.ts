import { CompiledQuery, sql } from "kysely";
import type { DatabaseTransaction } from "./database.ts";
import { kindOf } from "./kind.ts";
import { RowBatch } from "./row-batch.ts";
import type { Tables } from "./schema.ts";

type Row = readonly unknown[];

/**
 * Inserts many rows. With `skipExisting` (the columns of a unique key) rows whose key is taken are left out. Returns those
 * that were written, in their order.
 *
 * Writes the SQL itself: building and printing a query tree of a thousand values costs more than what the database does
 * with it. SQLite gets one prepared statement, run row by row; PostgreSQL, where each statement is a journey, gets one
 * statement for all (measured on SQLite, per row: 6 µs, against 19 µs for one statement of 64 rows with `returning`).
 */
export async function insertRows<Value extends Row>(
  transaction: DatabaseTransaction,
  table: keyof Tables,
  columns: readonly string[],
  rows: readonly Value[],
  skipExisting: readonly string[] = [],
): Promise<readonly Value[]> {
  if (rows.length === 0) return rows;
  const head = `insert into ${table} (${columns.join(", ")}) values `;
  const conflict = skipExisting.length === 0 ? "" : ` on conflict (${skipExisting.join(", ")}) do nothing`;
  if (kindOf(transaction) === "sqlite") {
    const batch = new RowBatch(rows);
    const text = `${head}(${columns.map(() => "?").join(", ")})${conflict}`;
    await transaction.executeQuery(CompiledQuery.raw(text, [batch]));
    return rows.filter((_row, index) => batch.isWritten(index));
  }
  let next = 1;
  const values = rows.map(() => `(${columns.map(() => `$${next++}`).join(", ")})`).join(", ");
  const returning = skipExisting.length === 0 ? "" : ` returning ${skipExisting.join(", ")}`;
  const { rows: written } = await transaction.executeQuery<Record<string, unknown>>(
    CompiledQuery.raw(head + values + conflict + returning, rows.flat()),
  );
  if (skipExisting.length === 0) return rows;
  const keyOf = (parts: readonly unknown[]) => JSON.stringify(parts);
  const isNew = new Set(written.map((row) => keyOf(skipExisting.map((column) => row[column]))));
  const positions = skipExisting.map((column) => columns.indexOf(column));
  // Of two equal keys in one batch the first is the one that was written.
  return rows.filter((row) => isNew.delete(keyOf(positions.map((position) => row[position]))));
}

/** `column in (…)` for any number of texts with one parameter and one statement text. */
export function isOneOf(transaction: DatabaseTransaction, column: string, values: readonly string[]) {
  return kindOf(transaction) === "postgres"
    ? sql<boolean>`${sql.ref(column)} = any(${values})`
    : sql<boolean>`${sql.ref(column)} in (select value from json_each(${JSON.stringify(values)}))`;
}
