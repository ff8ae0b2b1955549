import type { DatabaseKind } from "./kind.ts";
import type { TableBytes } from "./table-record.ts";
import { recordOf, tableNames } from "./table-records.ts";

/** The approximate bytes of a row besides its content, in tables and indexes. */
export const rowBytes = 256;

/** The tables whose rows are counted, by their names: the order of the records must not change the baseline. */
export const countedTables = tableNames
  .flatMap((table) => {
    const { bytes } = recordOf(table);
    return bytes.kind === "rows" ? [{ table, bytes }] : [];
  })
  .toSorted((one, other) => (one.table < other.table ? -1 : 1));

/** The bytes of a row, as an SQL expression. `row`: `new`, `old`, or the table's name. */
export function bytesOfRow({ columns }: { readonly columns: readonly string[] }, row: string): string {
  return [rowBytes, ...columns.map((column) => `coalesce(octet_length(${row}.${column}), 0)`)].join(" + ");
}

/** Before the id of an account: its log, which has room of its own. */
export const logOwnerPrefix = "log ";

/** SQL for the owner whose room a row takes. */
export function ownerOfRow({ owner, room }: Extract<TableBytes, { kind: "rows" }>, row: string): string {
  return room === "log" ? `'${logOwnerPrefix}' || ${row}.${owner}` : `${row}.${owner}`;
}

type Change = "insert" | "update" | "delete";
const changes: readonly Change[] = ["insert", "update", "delete"];

/**
 * The triggers that keep `counted_bytes`: whatever writes, removes or cascades, the count changes with the rows, in their
 * transaction. They only insert, so no two transactions wait for each other.
 */
export function printCountingTriggers(kind: DatabaseKind, only?: string): readonly string[] {
  return countedTables
    .filter(({ table }) => only === undefined || only === table)
    .flatMap(({ table, bytes }) => changes.flatMap((change) => printTrigger(kind, table, bytes, change)));
}

/** Before Citus spreads a table: it spreads none with triggers. */
export function printTriggerRemoval(table: string): readonly string[] {
  return countedTables.some((counted) => counted.table === table)
    ? changes.map((change) => `drop trigger if exists ${nameOf(table, change)} on ${table}`)
    : [];
}

function nameOf(table: string, change: Change): string {
  return `count_${table}_${change}`;
}

function printTrigger(
  kind: DatabaseKind,
  table: string,
  counted: Extract<TableBytes, { kind: "rows" }>,
  change: Change,
): readonly string[] {
  const name = nameOf(table, change);
  const { owner, columns, unless } = counted;
  const event = change === "update" ? `update of ${[owner, ...columns].join(", ")}` : change;
  const count = (row: "new" | "old") => {
    const bytes = `${row === "old" ? "-" : ""}(${bytesOfRow(counted, row)})`;
    const condition = unless === undefined ? "" : ` where ${row}.${unless} is not null`;
    return `insert into counted_bytes (owner_id, bytes) select ${ownerOfRow(counted, row)}, ${bytes}${condition}`;
  };
  const rowsCounted =
    change === "update" ? (["old", "new"] as const) : ([change === "insert" ? "new" : "old"] as const);
  const body = `${rowsCounted.map(count).join("; ")};`;
  // Then a row that does not count costs no more than the comparison.
  const when =
    unless === undefined ? "" : ` when (${rowsCounted.map((row) => `${row}.${unless} is not null`).join(" or ")})`;
  if (kind === "sqlite") return [`create trigger ${name} after ${event} on ${table}${when} begin ${body} end`];
  return [
    `create or replace function ${name}() returns trigger language plpgsql as $count$ begin ${body} return null; end $count$`,
    `create trigger ${name} after ${event} on ${table} for each row${when} execute function ${name}()`,
  ];
}
