import { chownSync, existsSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createDatabaseFile } from "./database-file.ts";
import { createFolder } from "./folder-failure.ts";

/** It ends with the process, however that ends. */
export interface FolderLock {
  release(): void;
}

/**
 * Takes the lock of this name in a data folder; `undefined` when another process, or another part of this one, has it and still has it after
 * `waitMilliseconds`, in which this thread does nothing else.
 *
 * The lock is an open transaction on a database file of its own: the operating system ends it with the process, where a file with a process
 * id would remain after a crash.
 */
export function takeFolderLock(folder: string, name: string, waitMilliseconds = 0): FolderLock | undefined {
  createFolder(folder);
  const file = join(folder, name);
  const isNew = !existsSync(file);
  // SQLite would open a file that it may only read, and then lock nobody out.
  createDatabaseFile(file);
  if (isNew) giveToOwner(file, folder);
  const database = new DatabaseSync(file);
  try {
    database.exec(`PRAGMA busy_timeout = ${waitMilliseconds}; BEGIN EXCLUSIVE`);
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === 5) return undefined;
    throw error;
  }
  return { release: () => database.close() };
}

/** A command that the administrator runs must not lock the service's user out. */
function giveToOwner(file: string, folder: string): void {
  if (userInfo().uid !== 0) return;
  const { uid, gid } = statSync(folder);
  if (uid !== 0) chownSync(file, uid, gid);
}
