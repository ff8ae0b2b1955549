import { createId } from "@sealpost/wire";
import { type ColumnMetadata, sql } from "kysely";
import type { Database } from "../database.ts";
import { isOwnerTable, type Lead, type OwnerTable, type TableName } from "../table-record.ts";
import { recordOf, tableNames } from "../table-records.ts";

/** The ids of one row of each kind that others belong to, and the address of the person. */
export type World = Readonly<Record<OwnerTable | "email", string>>;

export const createWorld = (): World => ({
  ...{ person: createId("account"), organization: createId("account"), form: createId("form") },
  ...{ submission: createId("submission"), delivery: createId("delivery"), mail: createId("event") },
  email: `${createId("account")}@example.com`,
});

/** Words of ours, and texts that are parsed. All others have a character of two bytes. */
const words: Readonly<Record<string, string>> = {
  ...{ role: "owner", actor: "nobody", state: "waiting", secret_used: "current", kind: "submission.created" },
  ...{
    form_ids: "[]",
    permissions: "[]",
    transports: "[]",
    allowed_origins: "[]",
    settings: `{"binDays":30}`,
    details: "{}",
    failed_to: "[]",
    action: "form.created",
  },
};
/** Tables whose rows are work for the purge, which an operation leaves: a made-up one would be done. */
export const jobs: readonly TableName[] = ["form_purge", "submission_purge"];
/** Columns that name a person other than the row's owner. */
const mentions = /^(person_id|added_by|invited_by|answered_by)$/;
const keys = /^(id|key|file)$/;
const dayMilliseconds = 86_400_000;
let count = 0;

/**
 * A row for each lead of each table, in the order of the records, so that what it refers to is there: all required columns, those whose
 * bytes count, and those that lead to another row of the world or name the person of `other`. Where there can be but one row it stays.
 */
export async function fillTables(database: Database, world: World, other: World): Promise<void> {
  const columnsOf = new Map((await database.introspection.getTables()).map(({ name, columns }) => [name, columns]));
  const names = tableNames.filter(
    (table) => columnsOf.has(table) && !jobs.includes(table) && table !== "counted_bytes",
  );
  for (const table of names) {
    const { belongsTo } = recordOf(table);
    for (const lead of belongsTo.length === 0 ? [undefined] : belongsTo) {
      const row = createRow(table, columnsOf.get(table) ?? [], { world, other, lead });
      await database
        .insertInto(table as "form_day") // whichever it is: the columns are its own
        .values(row as never)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
}

interface RowScope {
  readonly world: World;
  readonly other: World;
  readonly lead: Lead | undefined;
}

export function createRow(
  table: TableName,
  columns: readonly ColumnMetadata[],
  { world, other, lead }: RowScope,
): Record<string, unknown> {
  const { belongsTo, bytes } = recordOf(table);
  const counted = bytes.kind === "rows" ? bytes.columns : [];
  const row: Record<string, unknown> = {};
  const isFirst = lead === belongsTo[0];
  count += 1;
  for (const column of columns) {
    const { name, isNullable, isAutoIncrementing, hasDefaultValue } = column;
    const own = lead?.by === name ? lead : belongsTo.find(({ by }) => by === name);
    if (name === "id" && isOwnerTable(table) && isFirst) row[name] = world[table];
    else if (table === "person" && name === "email") row[name] = world.email;
    else if (own !== undefined && (name !== "id" || own === lead)) row[name] = idOf(world, own);
    else if (name === "form_id") row[name] = world.form;
    else if (mentions.test(name)) row[name] = other.person;
    // SQLite lets the columns of a key be null, and numbers the bin from 1 as well.
    else if (name === "sequence" || (keys.test(name) && !isAutoIncrementing)) row[name] = createValue(table, column);
    else if (isAutoIncrementing || ((isNullable || hasDefaultValue) && !counted.includes(name))) continue;
    else row[name] = createValue(table, column);
  }
  // Emails that a restore ends, and one that it leaves.
  if (table === "mail" && !isFirst) row.kind = "invitation";
  return row;
}

export const idOf = (world: World, lead: Lead): string => ("key" in lead ? world.email : world[lead.to]);

function createValue(table: TableName, { name, dataType }: ColumnMetadata): unknown {
  if (/bool/i.test(dataType)) return sql.lit(false);
  if (/date|timestamp/i.test(dataType)) return new Date(Date.now() + dayMilliseconds).toISOString();
  if (/blob|bytea/i.test(dataType)) return Buffer.from(`${table}.${name}`);
  if (/^(expires|ends|due|next)_at$/.test(name)) return Date.now() + dayMilliseconds;
  if (/_at$|^timestamp$/.test(name)) return Date.now();
  // Long enough that nothing is old by the form's own retention.
  if (/int/i.test(dataType)) return 1000 + count;
  return words[name] ?? `${table}.${name} ${count} ä`;
}
