import { existsSync } from "node:fs";
import { join } from "node:path";
import { isMarkedCopied, markCopied, unmarkCopied } from "../database/copied-away.ts";
import { type Database, type DatabaseTransaction, openPostgres } from "../database/database.ts";
import { isUnstorableRow } from "../database/errors.ts";
import { findUnstorableColumn } from "../database/indexed-texts.ts";
import { migrate } from "../database/migrate.ts";
import { openSqlite, sqliteFile } from "../database/open-sqlite.ts";
import { requireOwnBaselineOfFile } from "../database/own-baseline.ts";
import { requireNoRestore } from "../database/restoring.ts";
import { takeServingLock } from "../database/serving-lock.ts";
import { type CopiedTable, copiedTables } from "../database/table-records.ts";
import { excerpt } from "../problems/excerpt.ts";
import {
  type Column,
  type CopyState,
  countRows,
  digestSource,
  digestTarget,
  findInstanceId,
  findRefusedRow,
  finish,
  isFinished,
  listColumns,
  loadState,
  type Row,
  readRows,
  saveState,
  writeRows,
} from "./copy-store.ts";

export interface CopyProgress {
  readonly step: "copying" | "comparing";
  readonly table: CopiedTable;
  readonly rows: number;
  readonly total: number;
}

export interface CopyOptions {
  /** The data folder of a stopped instance. */
  readonly fromFolder: string;
  /** An empty PostgreSQL database, or one with the beginning of this copy. */
  readonly toUrl: string;
  readonly onProgress: (progress: CopyProgress) => void;
  /** Rows that are written together with the end of the copy: they are not in the source, and an interrupted copy has none of them. */
  readonly atEnd?: (transaction: DatabaseTransaction) => Promise<void>;
}

/**
 * Copies an instance from SQLite to PostgreSQL, batch by batch, and compares every table. An interrupted copy resumes
 * where it was. Until the end the target can't be served, and from then on the source can't. Throws a sentence for the operator; the
 * source's data is never changed, but for being brought to this version's tables. Answers how many rows were copied in all.
 */
export async function copyInstance({ fromFolder, toUrl, onProgress, atEnd }: CopyOptions): Promise<number> {
  requireNoRestore({ databaseUrl: undefined, dataFolder: fromFolder });
  requireOwnBaselineOfFile(join(fromFolder, sqliteFile));
  if (!existsSync(join(fromFolder, sqliteFile))) throw new Error(`There is no Sealpost database in ${fromFolder}`);
  const lock = takeServingLock(fromFolder);
  const source = openSqlite(fromFolder);
  const target = openPostgres(toUrl);
  try {
    await migrate(source);
    await migrate(target);
    const state = await begin(source, target, atEnd !== undefined || isMarkedCopied(fromFolder));
    for (const table of copiedTables.slice(copiedTables.indexOf(state.table)))
      await copyTable(source, target, { ...state, table, place: table === state.table ? state.place : 0 }, onProgress);
    const rows = await compare(source, target, onProgress);
    // Before the copy can be served, so that at no time both can.
    markCopied(fromFolder);
    try {
      await finish(source, target, atEnd);
    } catch (error) {
      if (!(await askIfFinished(target, error))) {
        unmarkCopied(fromFolder);
        throw error;
      }
    }
    return rows;
  } finally {
    await target.destroy();
    await source.destroy();
    lock.release();
  }
}

/** Where that can't be known, neither of the two is served: the source is marked, and an unfinished target refuses. */
async function askIfFinished(target: Database, cause: unknown): Promise<boolean> {
  try {
    return await isFinished(target);
  } catch {
    throw new Error(
      `The answer to the last step was lost, and the database can't be asked whether it was done (${cause instanceof Error ? cause.message : String(cause)}). Run the same command again as soon as it answers, and serve nothing before: it ends the copy, or says that the target has this instance already`,
      { cause },
    );
  }
}

/**
 * Where to resume; from the beginning in an empty database. Only of one that `cannotHaveChanged` since its copy was complete is it
 * known that the copy has everything.
 */
async function begin(source: Database, target: Database, cannotHaveChanged: boolean): Promise<CopyState> {
  const id = await findInstanceId(source);
  if (id === undefined) throw new Error("The source was never started: there is nothing to copy");
  const state = await loadState(target);
  if (state !== undefined && state.source !== id)
    throw new Error("The target holds the beginning of a copy of another instance: empty it, or name another one");
  if (state !== undefined) return state;
  if ((await findInstanceId(target)) === id)
    throw new Error(
      cannotHaveChanged
        ? "The target has this instance already, and nothing was written: set SEALPOST_DATABASE_URL and SEALPOST_SECRET and serve it, or name a new database"
        : "The target has this instance already, and nothing was written. The source may have been served since it was copied, and what it received since is not in the target: if the target was never served, empty it and copy again, or name a new database",
    );
  for (const table of copiedTables)
    if ((await countRows(target, table)) > 0)
      throw new Error("The target is not empty: it must be a new database, or one with the beginning of this copy");
  const [table = "instance"] = copiedTables;
  const first: CopyState = { source: id, table, place: 0 };
  await saveState(target, first);
  return first;
}

async function copyTable(
  source: Database,
  target: Database,
  start: CopyState,
  onProgress: CopyOptions["onProgress"],
): Promise<void> {
  const { table } = start;
  const columns = await listColumns(target, table);
  const total = await countRows(source, table);
  let copied = start.place === 0 ? 0 : await countRows(target, table);
  onProgress({ step: "copying", table, rows: copied, total });
  for (let { place } = start; ; ) {
    const rows = await readRows(source, table, place);
    const last = rows.at(-1);
    if (last === undefined) return;
    place = last.place;
    const state = { ...start, place };
    await writeRows(target, columns, rows, state).catch(async (error: unknown) => {
      throw await explainRefusedRow(target, columns, rows, state, error);
    });
    copied += rows.length;
    onProgress({ step: "copying", table, rows: copied, total });
  }
}

/** A sentence that names the row which PostgreSQL can't hold, where that is what `error` says; otherwise the error itself. */
async function explainRefusedRow(
  target: Database,
  columns: readonly Column[],
  rows: readonly Row[],
  state: CopyState,
  error: unknown,
): Promise<unknown> {
  if (!isUnstorableRow(error)) return error;
  const row = await findRefusedRow(target, columns, rows, state);
  if (row === undefined) return error;
  const { table } = state;
  const column = findUnstorableColumn(table, row);
  const what = column === undefined ? "one of its texts" : describeText(column, String(row[column]));
  return new Error(
    `PostgreSQL can't hold a row of the table ${table}: ${what}. It is the row of ${nameRow(row)}. Change or remove it in the source (a backup is restored with SQLite first: without SEALPOST_DATABASE_URL), empty the target, and run the command again`,
    { cause: error },
  );
}

function describeText(column: string, text: string): string {
  return text.includes("\u0000")
    ? `its ${column} has the character U+0000`
    : `its ${column} has ${Buffer.byteLength(text)} bytes, which is too long for an index`;
}

/** Ids are ours. */
function nameRow(row: Row): string {
  const named = Object.entries(row).filter(([name, value]) => /(^|_)id$/.test(name) && typeof value === "string");
  return named.map(([name, value]) => `${name} ${excerpt(String(value))}`).join(", ") || "no id";
}

async function compare(source: Database, target: Database, onProgress: CopyOptions["onProgress"]): Promise<number> {
  let all = 0;
  for (const table of copiedTables) {
    const columns = await listColumns(target, table);
    const [ours, theirs] = [await digestSource(source, table, columns), await digestTarget(target, table, columns)];
    if (ours.rows !== theirs.rows || ours.digest !== theirs.digest)
      throw new Error(
        `The table ${table} is not the same: ${ours.rows} rows in the source, ${theirs.rows} in the target${ours.rows === theirs.rows ? ", with other content" : ""}. Was the source served between two parts of the copy? Empty the target and copy again`,
      );
    all += ours.rows;
    onProgress({ step: "comparing", table, rows: ours.rows, total: ours.rows });
  }
  return all;
}
