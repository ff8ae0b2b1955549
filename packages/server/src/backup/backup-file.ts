import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import { type Column, createSum, type Row, type TableDigest } from "../copy/copy-store.ts";
import { findForeignObject, type OwnSchema, type SchemaObject, selectSchema } from "../database/own-schema.ts";
import type { CopiedTable } from "../database/table-records.ts";

/** A backup's description of itself, in its table `backup`. */
export interface Manifest {
  readonly format: 1;
  /** The program that made it. */
  readonly version: string;
  /** The newest migration of its tables. */
  readonly migration: string;
  readonly instance: string;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
  readonly tables: Readonly<Partial<Record<string, TableDigest>>>;
}

export type Sequence = { readonly name: string; readonly value: number };

/** The file of a backup: a SQLite database with an instance's tables, and what it says of itself. */
export interface BackupFile {
  columns(table: string): readonly Column[];
  /** Tables whose rows are numbered by the database. */
  numberedTables(): readonly CopiedTable[];
  insert(table: CopiedTable, rows: readonly Row[]): void;
  setSequence(sequence: Sequence): void;
  /** Reads a table again, row by row. */
  digest(table: string): TableDigest;
  /** Throws unless the whole file is sound. Sums are of rows: they say nothing of an index, by which rows are found. */
  checkPages(): void;
  /** Throws a sentence unless the file consists of what this program makes, and a backup's description. */
  checkObjects(own: OwnSchema): void;
  /** `undefined` in a file that is no backup. Throws where it is not one of ours. */
  manifest(): Manifest | undefined;
  writeManifest(manifest: Manifest): void;
  /** The same file without what makes it a backup: an instance's database. */
  removeManifest(): void;
  /** Each value that the instance keeps under a name. */
  instanceRows(): readonly { readonly key: string; readonly value: string }[];
  close(): void;
}

/** A file that has an instance's tables already; one that is no database fails with the first question. Nothing of it is on the disk before the caller has seen to that. */
export function openBackupFile(path: string): BackupFile {
  const database = new DatabaseSync(path);
  // The file counts for nothing before it is complete and flushed, so nothing waits for the disk.
  reading(() =>
    database.exec(
      "PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF; PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON",
    ),
  );
  const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
  const hasManifest = () =>
    database.prepare("select 1 from sqlite_master where type = 'table' and name = 'backup'").get() !== undefined;
  const columns = (table: string): Column[] =>
    database
      .prepare("select name, lower(type) as type from pragma_table_info(?) order by name")
      .all(table)
      .map(({ name, type }) => ({ name: String(name), type: String(type) }));

  return {
    columns,
    numberedTables: () =>
      database
        .prepare("select name from sqlite_master where type = 'table' and sql like '%autoincrement%' order by name")
        .all()
        .map(({ name }) => name as CopiedTable), // the migrations make no others
    insert(table, rows) {
      const names = columns(table);
      const statement = database.prepare(
        `insert into ${quote(table)} (${names.map(({ name }) => quote(name)).join(", ")}) values (${names.map(() => "?").join(", ")})`,
      );
      database.exec("begin");
      for (const row of rows) statement.run(...names.map(({ name }) => toSqlite(row[name])));
      database.exec("commit");
    },
    setSequence({ name, value }) {
      database.prepare("delete from sqlite_sequence where name = ?").run(name);
      database.prepare("insert into sqlite_sequence (name, seq) values (?, ?)").run(name, value);
    },
    digest(table) {
      return reading(() => {
        const sum = createSum(columns(table));
        for (const row of database.prepare(`select * from ${quote(table)}`).iterate()) sum.add(row);
        return sum.result();
      });
    },
    checkPages() {
      const [row] = reading(() => database.prepare("pragma integrity_check(1)").all());
      const found = String(row?.integrity_check);
      if (found !== "ok") throw damaged(found);
    },
    checkObjects({ required, allowed }) {
      const objects = reading(() => database.prepare(selectSchema).all()) as unknown as SchemaObject[]; // the four columns
      const described = { type: "table", name: "backup", tbl_name: "backup", sql: manifestTable } as const;
      const foreign = findForeignObject(objects, { required: [...required, described], allowed });
      if (foreign !== undefined)
        throw new Error(`The backup was altered, and nothing was restored: it has ${foreign}. Restore another one`);
    },
    manifest() {
      if (!reading(hasManifest)) return undefined;
      const row = reading(() => database.prepare("select manifest from backup").get());
      return parseManifest(reading(() => JSON.parse(String(row?.manifest))));
    },
    writeManifest(manifest) {
      // The contents of the log next to the file move into it: a backup is one file.
      database.exec("PRAGMA journal_mode = DELETE");
      database.exec(manifestTable);
      database.prepare("insert into backup (manifest) values (?)").run(JSON.stringify(manifest));
    },
    removeManifest: () => database.exec("drop table backup"),
    instanceRows: () =>
      database
        .prepare("select key, value from instance")
        .all()
        .map(({ key, value }) => ({ key: String(key), value: String(value) })),
    close: () => database.close(),
  };
}

const manifestTable = "CREATE TABLE backup (manifest text not null)";

/** The parts that are relied on; what else is in it is only shown. */
function parseManifest(value: unknown): Manifest {
  const { format, version, migration, createdAt, tables } = (value ?? {}) as Partial<Record<string, unknown>>; // any value has members or none
  const isOurs =
    typeof format === "number" &&
    typeof version === "string" &&
    typeof migration === "string" &&
    Number.isSafeInteger(createdAt) &&
    typeof tables === "object" &&
    tables !== null;
  if (!isOurs) throw damaged("what it says of itself is not what this program writes");
  return value as Manifest; // looked at above; digests are compared, whatever they are
}

/** SQLite's own message says what is wrong, but not with what. */
function reading<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause);
    throw damaged(message, cause);
  }
}

function damaged(message: string, cause?: unknown): Error {
  return new Error(`The file is not a backup of Sealpost, or it is damaged: ${message}`, { cause });
}

/** PostgreSQL's truth and times as SQLite keeps them; everything else it takes as it comes. */
function toSqlite(value: unknown): SQLInputValue {
  if (typeof value === "boolean") return value ? 1 : 0;
  if (value instanceof Date) return value.toISOString();
  return value as SQLInputValue; // no column holds anything else; node:sqlite refuses the rest
}
