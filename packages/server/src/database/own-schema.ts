import { Kysely, sql } from "kysely";
import { type Migration, Migrator } from "kysely/migration";
import { createMemoryDialect } from "./sqlite.ts";

/** A row of `sqlite_schema`: a table, an index, a trigger or a view. Indexes that SQLite makes for a key have no text. */
export interface SchemaObject {
  readonly type: string;
  readonly name: string;
  readonly tbl_name: string;
  readonly sql: string | null;
}

/** Everything that a SQLite database of this program consists of. */
export interface OwnSchema {
  readonly required: readonly SchemaObject[];
  /** Statistics, after an `analyze` by the operator. */
  readonly allowed: readonly SchemaObject[];
}

export const selectSchema = "select type, name, tbl_name, sql from sqlite_schema";

const made = new WeakMap<Record<string, Migration>, Map<string, Promise<OwnSchema>>>();

/**
 * The objects that the migrations up to `newest` make, made by these migrations in memory, once in a process. Kysely's two
 * tables are among them: a version of it that writes their text in another way has to be given the text of before.
 */
export function printOwnSchema(known: Record<string, Migration>, newest: string): Promise<OwnSchema> {
  const schemas = made.get(known) ?? new Map<string, Promise<OwnSchema>>();
  made.set(known, schemas);
  const schema = schemas.get(newest) ?? create(known, newest);
  schemas.set(newest, schema);
  return schema;
}

async function create(known: Record<string, Migration>, newest: string): Promise<OwnSchema> {
  const database = new Kysely<unknown>({ dialect: createMemoryDialect() });
  try {
    const migrator = new Migrator({ db: database, provider: { getMigrations: async () => known } });
    const { error } = await migrator.migrateTo(newest);
    if (error !== undefined) throw error;
    const list = async () => (await sql.raw<SchemaObject>(selectSchema).execute(database)).rows;
    const required = await list();
    await sql`analyze`.execute(database);
    const statistics = (await list()).filter(({ name }) => name.startsWith("sqlite_stat"));
    return { required, allowed: statistics };
  } finally {
    await database.destroy();
  }
}

/**
 * Names the first object that is not ours, is not as we make it, or is missing; `undefined` when there is none. A trigger
 * or a view is code that the database would run for the one who wrote it.
 */
export function findForeignObject(found: readonly SchemaObject[], own: OwnSchema): string | undefined {
  const ours = new Map([...own.allowed, ...own.required].map((object) => [keyOf(object), object]));
  const seen = new Set<string>();
  for (const object of found) {
    const expected = ours.get(keyOf(object));
    const what = `${object.type} ${JSON.stringify(object.name)}`;
    if (expected === undefined || seen.has(keyOf(object))) return `a ${what} that this program does not make`;
    seen.add(keyOf(object));
    if (expected.sql !== object.sql || expected.tbl_name !== object.tbl_name)
      return `a ${what} that is not as this program makes it`;
  }
  const missing = own.required.find((object) => !seen.has(keyOf(object)));
  return missing && `no ${missing.type} ${JSON.stringify(missing.name)}`;
}

function keyOf({ type, name }: SchemaObject): string {
  return `${type} ${name}`;
}
