import { type Kysely, sql } from "kysely";

/**
 * The primary keys on PostgreSQL that end with the form, so that every unique key of a submission's tables contains it
 * (docs/decisions/0020-keys-with-the-form.md). What used to be the whole key still comes first: a statement of an older
 * process, which knows nothing of the form, finds its rows by the same index.
 */
export const formKeys = {
  submission: ["sequence", "form_id"],
  submission_bin: ["sequence", "form_id"],
  event: ["id", "form_id"],
  delivery: ["id", "form_id"],
  delivery_queue: ["delivery_id", "form_id"],
  attempt: ["id", "form_id"],
} as const;

export type KeyedTable = keyof typeof formKeys;

/** The primary key that a table has. */
export interface KeyState {
  readonly table: KeyedTable;
  /** The name of the primary key. */
  readonly constraint: string;
  readonly isChanged: boolean;
}

/** The name of the primary key, and of its index, once it ends with the form. */
export function keyName(table: KeyedTable): string {
  return `${table}_primary`;
}

/** The columns of that key as SQL. */
export function printKey(table: KeyedTable): string {
  return formKeys[table].join(", ");
}

/** Selects a `KeyState` for each of the tables from the catalog. */
export const keyStatesQuery = `
  select t.name as table, k.conname as constraint, k.conname = t.name || '_primary' as "isChanged"
  from unnest(array[${Object.keys(formKeys).map((name) => `'${name}'`)}]) with ordinality as t(name, place)
  join pg_constraint k on k.conrelid = to_regclass(t.name) and k.contype = 'p' order by t.place`;

/** Changes the keys of empty tables, which takes no time. */
export async function changeKeysOfEmptyTables(database: Kysely<never>): Promise<void> {
  const { rows } = await sql.raw<KeyState>(keyStatesQuery).execute(database);
  for (const { table, constraint } of rows)
    await sql`
      alter table ${sql.table(table)} drop constraint ${sql.ref(constraint)},
        add constraint ${sql.ref(keyName(table))} primary key (${sql.raw(printKey(table))})`.execute(database);
  await sql.raw(printUnfilledIndex("create index")).execute(database);
}

/** The index of attempts whose form is not filled in: of next to nothing, once they are. */
export const unfilledIndex = "attempt_unfilled";

export function printUnfilledIndex(create: "create index" | "create index concurrently"): string {
  return `${create} ${unfilledIndex} on attempt (id) where form_id = ''`;
}
