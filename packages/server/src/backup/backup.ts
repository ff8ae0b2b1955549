import { existsSync, statSync } from "node:fs";
import { chmod, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { Config } from "../config/config.ts";
import { createSum, type TableDigest } from "../copy/copy-store.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { explainFolderFailure } from "../database/folder-failure.ts";
import { listLogs, requireNoLeftOverLog, requireNothingInLog } from "../database/left-over-log.ts";
import { migrate } from "../database/migrate.ts";
import { findMigrationState } from "../database/migration-state.ts";
import { openSqlite, sqliteFile } from "../database/open-sqlite.ts";
import { requireNoRestore } from "../database/restoring.ts";
import { type CopiedTable, copiedTables } from "../database/table-records.ts";
import { copyKey } from "../instance/instance.ts";
import { version } from "../instance/version.ts";
import { type BackupFile, openBackupFile } from "./backup-file.ts";
import { noteBackup, type Snapshot, withSnapshot } from "./backup-store.ts";
import { flush } from "./flush.ts";
import { type BeforeEnd, makePartFolder } from "./part-folder.ts";
import { explainTargetFailure } from "./target-failure.ts";

export interface BackupProgress {
  readonly step: "reading" | "checking";
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

export interface BackupOptions {
  readonly config: Pick<Config, "dataFolder" | "databaseUrl">;
  /** The new file, or an existing folder in which it gets a name with the time. */
  readonly to: string;
  readonly now: number;
  /** Left out where no signal ends the process. */
  readonly beforeEnd?: BeforeEnd | undefined;
  readonly onProgress: (progress: BackupProgress) => void;
}

export interface Backup {
  readonly file: string;
  readonly rows: number;
}

/**
 * Writes all of an instance at one moment into one file, alongside a running service. Every row is summed up as it
 * is read, and the file is read again and compared before it gets its name: a file with that name is complete. Throws a
 * sentence for the operator, and leaves no files then. The server's secret is not in it.
 */
export async function backUp(options: BackupOptions): Promise<Backup> {
  const { config, to, now } = options;
  const file = nameFile(to, now);
  try {
    return await write(file, options);
  } catch (error) {
    const explained = explainTargetFailure(error, file);
    throw config.databaseUrl === undefined ? explainFolderFailure(explained, config.dataFolder) : explained;
  }
}

async function write(file: string, { config, now, beforeEnd, onProgress }: BackupOptions): Promise<Backup> {
  if (existsSync(file)) throw new Error(`${file} exists already: a backup is never written over another file`);
  const [log] = listLogs(file);
  if (log !== undefined) throw new Error(`${log} is in the way: it would be taken for a part of the backup`);
  requireNoRestore(config);
  if (config.databaseUrl === undefined) requireNoLeftOverLog(join(config.dataFolder, sqliteFile));
  if (config.databaseUrl === undefined && !existsSync(join(config.dataFolder, sqliteFile)))
    throw new Error(`There is no Sealpost database in ${config.dataFolder}`);
  const database = openDatabase(config);
  try {
    await checkMigrations(database);
    return await writePart(database, file, { now, beforeEnd, onProgress });
  } finally {
    await database.destroy();
  }
}

async function writePart(
  database: Database,
  file: string,
  { now, beforeEnd, onProgress }: Pick<BackupOptions, "now" | "beforeEnd" | "onProgress">,
): Promise<Backup> {
  const folder = makePartFolder(file, beforeEnd);
  try {
    const part = join(folder.path, sqliteFile);
    await createEmpty(folder.path);
    const rows = await fill(database, part, now, onProgress);
    requireNothingInLog(part);
    await chmod(part, 0o600);
    await flush(part);
    await rename(part, file);
    await flush(dirname(file));
    await noteBackup(database, now);
    return { file, rows };
  } finally {
    folder.remove();
  }
}

function nameFile(to: string, now: number): string {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, "");
  return statSync(to, { throwIfNoEntry: false })?.isDirectory() ? join(to, `sealpost-${time}.backup`) : to;
}

async function checkMigrations(database: Database): Promise<void> {
  const { newest, missing, unknown } = await findMigrationState(database);
  if (newest === undefined) throw new Error("The instance was never started: there is nothing to back up");
  if (missing.length > 0 || unknown.length > 0)
    throw new Error(
      `The database belongs to another version (${newest}): make the backup with the version that serves it`,
    );
}

/** A file with this version's tables and no rows. */
async function createEmpty(folder: string): Promise<void> {
  const empty = openSqlite(folder);
  await migrate(empty);
  await empty.destroy();
}

async function fill(
  database: Database,
  part: string,
  now: number,
  onProgress: BackupOptions["onProgress"],
): Promise<number> {
  const file = openBackupFile(part);
  try {
    const { digests, instance } = await withSnapshot(database, async (snapshot) => {
      if ((await snapshot.instanceValue(copyKey)) !== undefined)
        throw new Error("A copy to this database is not complete: there is nothing to back up yet");
      const instance = await snapshot.instanceValue("id");
      if (instance === undefined) throw new Error("The instance was never started: there is nothing to back up");
      const digests = new Map<CopiedTable, TableDigest>();
      for (const table of copiedTables) digests.set(table, await readTable(snapshot, table, file, onProgress));
      for (const table of file.numberedTables()) file.setSequence(await snapshot.sequence(table));
      return { digests, instance };
    });
    let rows = 0;
    for (const [table, expected] of digests) {
      checkDigest(table, file.digest(table), expected);
      rows += expected.rows;
      onProgress({ step: "checking", table, rows: expected.rows, total: expected.rows });
    }
    file.checkPages();
    const { newest } = await findMigrationState(database);
    file.writeManifest({
      ...{ format: 1, version, migration: newest ?? "", instance, createdAt: now },
      tables: Object.fromEntries(digests),
    });
    return rows;
  } finally {
    file.close();
  }
}

async function readTable(
  snapshot: Snapshot,
  table: CopiedTable,
  file: BackupFile,
  onProgress: BackupOptions["onProgress"],
): Promise<TableDigest> {
  const total = await snapshot.count(table);
  const sum = createSum(file.columns(table));
  onProgress({ step: "reading", table, rows: 0, total });
  for await (const rows of snapshot.batches(table)) {
    for (const row of rows) sum.add(row);
    file.insert(table, rows);
    if (sum.result().rows < total) onProgress({ step: "reading", table, rows: sum.result().rows, total });
    // Rows of SQLite come without one, and a signal would wait for the last of them.
    await nextTurn();
  }
  const digest = sum.result();
  if (digest.rows !== total) throw new Error(`${digest.rows} rows of ${table} were read where ${total} were counted`);
  if (total > 0) onProgress({ step: "reading", table, rows: total, total });
  return digest;
}

/** Throws unless a table that was read again is what was written. */
export function checkDigest(table: string, found: TableDigest, expected: TableDigest): void {
  if (found.rows !== expected.rows || found.digest !== expected.digest)
    throw new Error(
      `The table ${table} is not what was written: ${expected.rows} rows were, ${found.rows} are there${found.rows === expected.rows ? ", with other content" : ""}. The disk or the file is damaged`,
    );
}
