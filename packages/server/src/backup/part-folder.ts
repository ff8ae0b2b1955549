import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";

/** The folder next to a backup in which it is written. */
export interface PartFolder {
  readonly path: string;
  /** Removes it, with everything in it. */
  remove(): void;
}

const ending = ".backup.part";

/** Has `cleanUp` called when a signal is about to end the process; gives what calls it off. */
export type BeforeEnd = (cleanUp: () => void) => () => void;

/**
 * Makes the folder for the backup `file`, and removes those that are left in the same place: a process that was killed while writing one has left a
 * copy of the instance that no retention reaches. The one who writes holds a lock, which ends with the process. A signal that ends the
 * process removes the folder first. Throws a sentence if somebody else is writing there.
 */
export function makePartFolder(file: string, beforeEnd: BeforeEnd = () => () => {}): PartFolder {
  const path = `${file}.part`;
  try {
    makeFolder(path);
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
    removeIfLeft(path);
    makeFolder(path);
  }
  const lock = takeLock(path);
  if (lock === undefined) throw new Error(inTheWay(path));
  for (const other of listParts(dirname(path))) if (other !== path) removeIfLeft(other);

  const removeFolder = (): void => {
    lock.close();
    rmSync(path, { recursive: true, force: true });
  };
  const callOff = beforeEnd(removeFolder);
  return {
    path,
    remove() {
      callOff();
      removeFolder();
    },
  };
}

const inTheWay = (path: string) => `${path} is in the way: another backup is being written. Remove it if none is`;

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    throw codeOf(error) === "EEXIST" ? Object.assign(new Error(inTheWay(path)), { code: "EEXIST" }) : error;
  }
}

/** The folders of backups; none where this user may write and not list. */
function listParts(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.startsWith("sealpost-") && name.endsWith(ending))
      .map((name) => join(folder, name));
  } catch (error) {
    if (codeOf(error) === "EACCES" || codeOf(error) === "EPERM") return [];
    throw error;
  }
}

function removeIfLeft(folder: string): void {
  if (!existsSync(join(folder, lockName))) {
    // Nothing was written there yet. One that has something in it is not ours.
    if (readdirSync(folder).length === 0) rmdirSync(folder);
    return;
  }
  const lock = takeLock(folder);
  if (lock === undefined) return;
  lock.close();
  rmSync(folder, { recursive: true, force: true });
}

const lockName = "lock";

/** The lock of the folder, or `undefined` while another process has it. */
function takeLock(folder: string): DatabaseSync | undefined {
  const database = new DatabaseSync(join(folder, lockName), { timeout: 0 });
  try {
    database.exec("pragma journal_mode = memory; begin exclusive");
    return database;
  } catch (error) {
    database.close();
    if (error instanceof Error && "errcode" in error && error.errcode === 5) return undefined;
    throw error;
  }
}
