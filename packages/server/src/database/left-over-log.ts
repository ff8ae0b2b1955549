import { existsSync, statSync } from "node:fs";
import { basename, dirname } from "node:path";

/** Endings of the files that SQLite keeps next to a database, and takes for that database's by their names alone. */
export const logEndings = ["-wal", "-shm", "-journal"] as const;

/** A log whose database is not there: it would be replayed over the next one of that name, or deleted. */
export class LeftOverLogError extends Error {
  override name = "LeftOverLogError";
  readonly finding: string;
  readonly remedy: string;

  constructor(file: string, logs: readonly string[]) {
    const name = basename(file);
    const finding = `In ${dirname(file)} there is ${logs.map((log) => basename(log)).join(" and ")} without the database`;
    const remedy = `It belongs to the database that was moved away, holds the newest submissions of it, and would damage another one: put it next to that database, under the same name (${name}.old-wal next to ${name}.old), or delete it if that database is not needed any more`;
    super(`${finding}, so nothing was changed. ${remedy}`);
    this.finding = finding;
    this.remedy = remedy;
  }
}

/** For sentences that make somebody move a database away. */
export function describePuttingAside(file: string): string {
  return `stop the service, and move all files whose names begin with ${basename(file)} together: ${basename(file)}-wal holds the newest submissions`;
}

/**
 * Throws a `LeftOverLogError` where a log lies next to a database that is absent or has no bytes. Touches nothing. A database
 * that lost its log, or got another one's, can't be found: neither file names the other.
 */
export function requireNoLeftOverLog(file: string): void {
  // Before the database, which a process that makes it meanwhile makes before its log.
  const logs = listLogs(file);
  if (hasBytes(file)) return;
  // SQLite makes the file empty, and fills it before there is a write-ahead log. It deletes one next to an empty file.
  const leftOver = existsSync(file) ? logs.filter((log) => log.endsWith("-wal") && hasBytes(log)) : logs;
  if (leftOver.length > 0) throw new LeftOverLogError(file, leftOver);
}

/** The logs that are next to a file. */
export function listLogs(file: string): readonly string[] {
  return logEndings.map((ending) => `${file}${ending}`).filter((log) => existsSync(log));
}

/**
 * Throws where SQLite left a part of a closed database in its log, as it does without a word on a disk that is full or fails: the
 * file alone is not the database.
 */
export function requireNothingInLog(file: string): void {
  const log = listLogs(file).find((name) => !name.endsWith("-shm") && hasBytes(name));
  if (log !== undefined)
    throw new Error(`Not all of ${file} could be written, a part is left in its log: the disk may be full, or fail`);
}

/** Whether a write-ahead log next to the database has anything that may not be in the file. */
export function hasLog(file: string): boolean {
  return hasBytes(`${file}-wal`);
}

function hasBytes(file: string): boolean {
  // A folder that can't be looked into is its reader's to explain.
  return existsSync(file) && (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0;
}
