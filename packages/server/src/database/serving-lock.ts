import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDatabaseFile } from "./database-file.ts";
import { createFolder } from "./folder-failure.ts";

/** The right to serve a data folder, or to copy it. It ends with the process, however that ends. */
export interface ServingLock {
  release(): void;
}

/**
 * Takes the lock of a data folder; throws a sentence for the operator when another process has it. Two services on one
 * SQLite database would each think that the other's claims of deliveries are left over from a crash.
 *
 * The lock is an open transaction on a database file next to the real one: the operating system ends it with the process,
 * where a file with a process id would remain after a crash. Account commands don't take it.
 */
export function takeServingLock(folder: string): ServingLock {
  createFolder(folder);
  const file = join(folder, "serving.lock");
  // SQLite would open a file that it may only read, and then lock nobody out.
  createDatabaseFile(file);
  const database = new DatabaseSync(file);
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE");
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === 5)
      throw new Error(`The data folder ${folder} is in use: another sealpost-server serves or copies it`);
    throw error;
  }
  return { release: () => database.close() };
}
