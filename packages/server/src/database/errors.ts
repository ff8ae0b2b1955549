import { NoPrimaryError } from "./no-primary-error.ts";

/** SQLITE_CONSTRAINT_UNIQUE and SQLITE_CONSTRAINT_PRIMARYKEY (sqlite.org/rescode.html); PostgreSQL says 23505. */
const uniqueViolations: readonly unknown[] = [2067, 1555, "23505"];

/** Whether a write was refused because another row has the same unique value. */
export function isUniqueViolation(error: unknown): boolean {
  return uniqueViolations.includes(codeOf(error));
}

/** PostgreSQL's 40P01: two transactions waited for each other, and this one was rolled back. */
export function isDeadlock(error: unknown): boolean {
  return codeOf(error) === "40P01";
}

/** PostgreSQL's 55P03: a lock was not free within the time that was set for it. */
export function isLockTimeout(error: unknown): boolean {
  return codeOf(error) === "55P03";
}

/** PostgreSQL's 22021, character not in repertoire: its texts can't hold U+0000, those of SQLite can. */
export function isUnstorableText(error: unknown): boolean {
  return codeOf(error) === "22021";
}

/**
 * PostgreSQL's 54000 and 22021: a row of SQLite that it can't hold, because a text is too long for an index or has U+0000.
 */
export function isUnstorableRow(error: unknown): boolean {
  return codeOf(error) === "54000" || isUnstorableText(error);
}

/** BUSY, LOCKED, READONLY, IOERR, FULL, CANTOPEN: the low byte of SQLite's result codes. */
const sqliteFailures: readonly number[] = [5, 6, 8, 10, 13, 14];

/**
 * PostgreSQL's classes of errors (appendix A of its manual) that say nothing about the statement: 08 connection,
 * 25006 a read-only server (a failover), 40 rolled back for another transaction's sake, 53 out of disk, memory or
 * connections, 55P03 a lock that was not free, 57 shut down or cancelled, 58 the system's own errors. 26000 and 42P05 come of
 * a pooler that knows no prepared statements: the next attempt does without (`pooled-client.ts`).
 */
const postgresFailures = /^(08|25006|25P03|26000|40|42P05|53|55P03|57|58)/;

/** Error codes of sockets, names and the driver when the server is not there. */
export const connectionFailures = [
  "ECONNREFUSED",
  "ECONNRESET",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "EAI_AGAIN",
] as const;
/** The driver has no codes for these (pg 8, client.js and pg-pool). */
const driverMessages =
  /^(Connection terminated|timeout exceeded when trying to connect|Client has encountered a connection error|Client was closed|Cannot use a pool after|driver has already been destroyed|Query read timeout)/;

/**
 * Citus says that a worker went in the middle of a transaction with the code of an internal error, XX000 (13.2,
 * transaction/remote_transaction.c). Nothing is committed on any server then.
 */
const workerFailures = /^(failed to prepare transaction|failure on connection marked as essential)/;

/** Errors that came of asking the database, and say that it could not be asked. */
const ofDatabase = new WeakSet<Error>();

/** Kysely's own words where a closed database is asked: its driver never hears of it. */
const closed = "driver has already been destroyed";

/**
 * Whether the database could not be asked, or has no room: the same request may succeed later. None of it was written,
 * unless it was the answer to a commit that was lost: what was done elsewhere is undone only after the database was asked. Decided by
 * where the error came from: a visitor, a webhook and a mail server break off with the codes that a database breaks off with.
 */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return ofDatabase.has(error) || error instanceof NoPrimaryError || error.message === closed;
}

/** Whether nobody was there to be asked: other than a full disk or a worker of Citus that is gone, which stop some statements alone. */
export function isDatabaseUnreachable(error: unknown): boolean {
  if (!(error instanceof Error) || !isDatabaseUnavailable(error)) return false;
  if (error instanceof NoPrimaryError || driverMessages.test(error.message)) return true;
  return connectionFailures.some((failure) => failure === codeOf(error));
}

/** SQLite's FULL, READONLY, and IOERR of WRITE, FSYNC, TRUNCATE and SHMSIZE; PostgreSQL's 53100, disk full. */
const unwritable: readonly unknown[] = [778, 1034, 1546, 4874, "53100"];

/** Whether the database could not be written for want of room, or at all, and can still be read. */
export function isUnwritable(error: unknown): boolean {
  const code = codeOf(error);
  return unwritable.includes(code) || (typeof code === "number" && [8, 13].includes(code & 0xff));
}

/** Counts an error among those of a database that could not be asked. */
export function rememberUnavailable(error: Error): void {
  ofDatabase.add(error);
}

/** All others that came of asking it. */
const ofStatements = new WeakSet<Error>();

/** Whether an error came of asking the database, whatever it says. */
export function isOfDatabase(error: unknown): boolean {
  return isDatabaseUnavailable(error) || (error instanceof Error && ofStatements.has(error));
}

/** Rethrows an error that came of asking the database, and remembers it if it says that the database could not be asked. */
export function throwOfDatabase(error: unknown): never {
  if (error instanceof Error) ofStatements.add(error);
  if (error instanceof Error && saysUnavailable(error)) rememberUnavailable(error);
  throw error;
}

/** Whether an error says so, provided that it is one of the database. */
export function saysUnavailable(error: Error): boolean {
  if (error instanceof NoPrimaryError) return true;
  const code = codeOf(error);
  if (typeof code === "number") return sqliteFailures.includes(code & 0xff);
  if ("severity" in error && typeof code === "string")
    return postgresFailures.test(code) || (code === "XX000" && workerFailures.test(error.message));
  // An error of a file may have the code of a socket's, but it names its path.
  if (connectionFailures.some((failure) => failure === code) && !("path" in error)) return true;
  return driverMessages.test(error.message);
}

/** node:sqlite has `errcode`, everybody else `code`. */
function codeOf(error: unknown): unknown {
  if (!(error instanceof Error)) return undefined;
  if ("errcode" in error) return error.errcode;
  return "code" in error ? error.code : undefined;
}
