import { type Stats, statSync } from "node:fs";
import { userInfo } from "node:os";

/** A line for the log of a start on a data folder that others may look into; `undefined` when none may. */
export function findOpenFolder(folder: string): string | undefined {
  const stats = statSync(folder, { throwIfNoEntry: false });
  // Windows has other ways to close a folder, and no numbers for users.
  if (stats === undefined || userInfo().uid === -1) return undefined;
  const message = describeOpenMode(folder, stats);
  return message && `${message}: chmod 700 ${folder}`;
}

/** Says that others than the owner may open it; `undefined` when they may not. */
export function describeOpenMode(path: string, { mode }: Stats): string | undefined {
  if ((mode & 0o077) === 0) return undefined;
  return `Other users of this machine may open ${path} (mode ${(mode & 0o777).toString(8)})`;
}
