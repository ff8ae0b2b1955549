import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { type Kysely, sql } from "kysely";
import type { Migration } from "kysely/migration";
import { baselineHash } from "./baseline/baseline.ts";
import { type DatabaseKind, kindOf } from "./kind.ts";
import { hasLog, requireNoLeftOverLog } from "./left-over-log.ts";
import { findForeignObject, printOwnSchema, type SchemaObject, selectSchema } from "./own-schema.ts";
import type { Tables } from "./schema.ts";

/** A database whose tables another baseline has made: this program neither reads nor changes it. */
export class OtherBaselineError extends Error {
  override name = "OtherBaselineError";
  readonly finding: string;
  readonly remedy: string;

  constructor(finding: string, remedy: string) {
    super(`${finding}, so nothing was changed. ${remedy}`);
    this.finding = finding;
    this.remedy = remedy;
  }
}

/**
 * Throws an `OtherBaselineError` unless the database is empty or this program's baseline has made it. An earlier commit's
 * has a migration of the same name, so the name says nothing. SQLite's file may be anybody's: it has just the objects that the
 * `known` migrations make. Reads, and changes nothing. Resolves to whether there are tables.
 */
export async function requireOwnBaseline(database: Kysely<Tables>, known: Record<string, Migration>): Promise<boolean> {
  const kind = kindOf(database);
  const has = async (table: string) => {
    const there =
      kind === "postgres"
        ? sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`
        : sql<{ there: number }>`select count(*) as there from sqlite_schema where type = 'table' and name = ${table}`;
    return Boolean((await there.execute(database)).rows[0]?.there);
  };
  const read = async (statement: string) => (await sql.raw<{ value: string }>(statement).execute(database)).rows[0];
  // In this order: both are written in one transaction, which another process may commit between the two.
  if (!(await has("kysely_migration")) || (await read(firstMigration)) === undefined) return false;
  const found = (await has("baseline")) ? (await read(keptHash))?.value : undefined;
  if (found !== baselineHash(kind)) throw describeDatabase(kind, found);
  if (kind === "sqlite") await requireOwnObjects(database, known);
  return true;
}

async function requireOwnObjects(database: Kysely<Tables>, known: Record<string, Migration>): Promise<void> {
  const { rows } = await sql<{ name: string }>`select name from kysely_migration order by name`.execute(database);
  const newest = rows.at(-1)?.name;
  // A newer version's is refused by its migrations.
  if (newest === undefined || rows.some(({ name }) => !Object.hasOwn(known, name))) return;
  const objects = (await sql.raw<SchemaObject>(selectSchema).execute(database)).rows;
  const foreign = findForeignObject(objects, await printOwnSchema(known, newest));
  if (foreign !== undefined)
    throw new OtherBaselineError(
      `The database has ${foreign}`,
      "It was altered by another program: restore a backup that you trust, or undo that change",
    );
}

/**
 * The same of the file of a SQLite database, which need not exist; one that can't be read is left to its reader. Not a byte
 * is written next to it or in it, whereas opening it for use moves a log that a killed process left into it. Throws also where
 * another database left its log there.
 */
export function requireOwnBaselineOfFile(file: string): void {
  requireNoLeftOverLog(file);
  const found = readFileHash(file, { alone: !hasLog(file) });
  if (found !== "none" && found !== baselineHash("sqlite")) throw describeDatabase("sqlite", found, dirname(file));
}

/** The same of a backup, which is one file: what lies next to it is not read. */
export function requireOwnBaselineOfBackup(file: string): void {
  const found = readFileHash(file, { alone: true });
  if (found === "none" || found === baselineHash("sqlite")) return;
  throw new OtherBaselineError(
    `${file} has other tables than this program's (${compare("sqlite", found)})`,
    "Restore it with the version that made it",
  );
}

const firstMigration = "select name as value from kysely_migration limit 1";
const keptHash = "select hash as value from baseline";

/** `none`: no program of ours has made tables there. `undefined`: one did that kept no hash. */
function readFileHash(file: string, { alone }: { readonly alone: boolean }): string | undefined | "none" {
  if (!existsSync(file)) return "none";
  let database: DatabaseSync | undefined;
  try {
    const url = pathToFileURL(file);
    // Then SQLite makes no files next to it. With a log there, they are there already, and a reader leaves them.
    if (alone) url.search = "immutable=1";
    database = new DatabaseSync(url, { readOnly: true });
    const names = database
      .prepare("select name from sqlite_schema where type = 'table' and name in ('kysely_migration', 'baseline')")
      .all()
      .map(({ name }) => name);
    if (!names.includes("kysely_migration") || database.prepare(firstMigration).get() === undefined) return "none";
    const row = names.includes("baseline") ? database.prepare(keptHash).get() : undefined;
    return row === undefined ? undefined : String(row.value);
  } catch {
    return "none";
  } finally {
    database?.close();
  }
}

function describeDatabase(kind: DatabaseKind, found: string | undefined, folder?: string): OtherBaselineError {
  const place = folder === undefined ? "The database" : `The database in ${folder}`;
  const empty = kind === "postgres" ? "a new database in SEALPOST_DATABASE_URL" : "an empty folder in SEALPOST_DATA";
  return new OtherBaselineError(
    `${place} has other tables than this program's (${compare(kind, found)})`,
    `Run the version that made it, or begin with ${empty}; before the first release no version takes over the tables of another`,
  );
}

function compare(kind: DatabaseKind, found: string | undefined): string {
  const theirs = found === undefined ? "it keeps no baseline" : `its baseline is ${found.slice(0, 12)}`;
  return `${theirs}, this program's is ${baselineHash(kind).slice(0, 12)}`;
}
