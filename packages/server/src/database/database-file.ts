import { accessSync, closeSync, constants, openSync } from "node:fs";

/**
 * Makes a file for SQLite that its owner alone may read, unless it is there; throws if it may not be written.
 *
 * One that is there is not opened: to close any descriptor of a file gives up all locks that the process has on it (POSIX; sqlite.org/howtocorrupt.html,
 * 2.2), also those of another connection or thread. A program with an SQLite before 3.51 that reads the database then thinks that it is alone, and
 * deletes the log with what was accepted last.
 */
export function createDatabaseFile(file: string): void {
  try {
    closeSync(openSync(file, "wx", 0o600));
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    accessSync(file, constants.R_OK | constants.W_OK);
  }
}
