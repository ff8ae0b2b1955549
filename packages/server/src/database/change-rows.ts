import { CompiledQuery } from "kysely";
import { type Columns, type ColumnType, encodeColumns, printColumns } from "./column-array.ts";
import type { DatabaseTransaction } from "./database.ts";
import { encodeForms, isDistributed } from "./distribution.ts";
import { kindOf } from "./kind.ts";
import { keepPlanned } from "./prepared-statements.ts";
import { RowBatch } from "./row-batch.ts";
import type { Tables } from "./schema.ts";

interface RowChange {
  readonly table: keyof Tables;
  /** Which row: all of these columns have the given values. */
  readonly key: Columns & { readonly form_id: ColumnType };
  /** Its changes; without them the row is deleted. */
  readonly set?: Columns;
  /** A further condition for the row, as SQL. */
  readonly only?: string;
  readonly returning?: string;
}

/**
 * Changes or deletes one row for each of `rows`, whose values are those of `set` and then those of `key`; nothing for no
 * rows. SQLite gets one prepared statement, run row by row; PostgreSQL one statement with an array for each column: either
 * way the text is the same for any number of rows.
 */
export function createRowChange<Result>(
  change: RowChange,
): (transaction: DatabaseTransaction, rows: readonly (readonly unknown[])[]) => CompiledQuery<Result> | undefined {
  const columns = { ...change.set, ...change.key };
  const [forSqlite, forPostgres] = [printForSqlite(change), printForPostgres(change, columns)];
  const forCluster = printForPostgres(change, columns, Object.keys(columns).length + 1);
  const formPlace = Object.keys(columns).indexOf("form_id");
  return (transaction, rows) => {
    if (rows.length === 0) return undefined;
    if (kindOf(transaction) === "sqlite") return CompiledQuery.raw(forSqlite, [new RowBatch(rows)]);
    const values = encodeColumns(columns, rows);
    if (!isDistributed(transaction)) return keepPlanned(CompiledQuery.raw(forPostgres, values));
    return CompiledQuery.raw(forCluster, [...values, encodeForms(rows.map((row) => row[formPlace]))]);
  };
}

function printForSqlite({ table, key, set, only, returning }: RowChange): string {
  const parts = [
    set === undefined ? `delete from ${table}` : `update ${table} set ${list(set, (column) => `${column} = ?`)}`,
    `where ${list(key, (column) => `${column} = ?`, " and ")}`,
    ...(only === undefined ? [] : [`and ${only}`]),
    ...(returning === undefined ? [] : [`returning ${returning}`]),
  ];
  return parts.join(" ");
}

/** `formsPlace`: position of the parameter with all form ids. From an `unnest` alone a cluster cannot tell which shards have the rows. */
function printForPostgres(
  { table, key, set, only, returning }: RowChange,
  columns: Columns,
  formsPlace?: number,
): string {
  const line = `${printColumns(columns)} as line(${Object.keys(columns).join(", ")})`;
  const parts = [
    set === undefined
      ? `delete from ${table} using ${line}`
      : `update ${table} set ${list(set, (column) => `${column} = line.${column}`)} from ${line}`,
    `where ${list(key, (column) => `${table}.${column} = line.${column}`, " and ")}`,
    ...(formsPlace === undefined ? [] : [`and ${table}.form_id = any($${formsPlace}::text[])`]),
    ...(only === undefined ? [] : [`and ${only}`]),
    ...(returning === undefined ? [] : [`returning ${table}.${returning}`]),
  ];
  return parts.join(" ");
}

function list(columns: Columns, print: (column: string) => string, separator = ", "): string {
  return Object.keys(columns).map(print).join(separator);
}
