import { mkdirSync, statSync } from "node:fs";
import { dirname, relative, resolve } from "node:path";

/**
 * The folder, and those that it lies in, with mode 0700 where they are absent. `mkdirSync` with `recursive` never returns
 * where the system says that there is no such folder although its parent is there, as below /proc or an automounter.
 */
export function createFolder(folder: string): void {
  const isThere = () => statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isThere()) return;
  const parent = dirname(resolve(folder));
  if (parent !== resolve(folder)) createFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!isThere()) throw error;
  }
}

/** A sentence for the operator when `error` says that the data folder cannot be used; else the error itself. */
export function explainFolderFailure(error: unknown, folder: string): unknown {
  if (!(error instanceof Error)) return error;
  const explanation = "errcode" in error ? explainSqlite(error, folder) : explainFile(error, folder);
  return explanation === undefined ? error : new Error(explanation, { cause: error });
}

const elsewhere = "name another folder with SEALPOST_DATA";

function explainFile(error: Error, folder: string): string | undefined {
  const { code, syscall, dest, ...named } = error as NodeJS.ErrnoException & { readonly dest?: string }; // each may be absent
  // When a file is copied or renamed, the new name is the one that is written.
  const path = dest ?? named.path ?? folder;
  // A port that may not be opened is refused with the same codes, and files elsewhere are not the data folder's.
  if (syscall === "listen" || !(isWithin(path, folder) || isWithin(folder, path))) return undefined;
  switch (code) {
    case "EROFS":
      return `The data folder ${folder} is read-only: mount its file system for writing, or ${elsewhere}`;
    case "EACCES":
      return `This user may not use ${path}: run as the owner of the data folder, or give it to this user (chown -R USER ${folder})`;
    case "EPERM":
      return `${path} is protected from being changed, as lsattr or the mount may show: take that away, or ${elsewhere}`;
    case "EEXIST":
    case "ENOTDIR":
      return `The data folder cannot be ${folder}, because ${path} is not a folder: move it away, or ${elsewhere}`;
    case "EISDIR":
      return `A folder is where a file of the service should be: move it away from the data folder ${folder}, or ${elsewhere}`;
    case "ENOENT":
      return `The data folder ${folder} cannot be made, because the system refuses ${path}: ${elsewhere}`;
    case "ENOSPC":
    case "EDQUOT":
    case "EFBIG":
      return noRoom(folder);
    default:
      return undefined;
  }
}

/** Decides by the low byte of SQLite's result codes (sqlite.org/rescode.html). */
function explainSqlite(error: Error & { readonly errcode: unknown }, folder: string): string | undefined {
  switch (Number(error.errcode) & 0xff) {
    case 3: // PERM
    case 8: // READONLY
    case 14: // CANTOPEN
      return `The data folder ${folder}, or a file in it, cannot be written by this user (${error.message}): run as its owner, give it to this user (chown -R USER ${folder}), or ${elsewhere}`;
    case 10: // IOERR
      return `The disk of the data folder ${folder} fails or is full (${error.message}): look at it, or ${elsewhere}`;
    case 13: // FULL
      return noRoom(folder);
    case 11: // CORRUPT
    case 26: // NOTADB
      return `The database in the data folder ${folder} is damaged (${error.message}): put it aside and restore a backup (sealpost-server restore --help)`;
    default:
      return undefined;
  }
}

function isWithin(path: string, folder: string): boolean {
  return !/^\.\.(\/|\\|$)/.test(relative(folder, path));
}

function noRoom(folder: string): string {
  return `There is no room on the disk of the data folder ${folder}: free some, or ${elsewhere}`;
}
