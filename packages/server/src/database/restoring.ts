import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteFile } from "./open-sqlite.ts";

/** In the data folder from before the first step of a restore until the instance is whole, or nothing of it is left. */
export const restoringMark = "restore-unfinished";

/** Nobody serves or opens the instance from here on until `unmarkRestoring`, also when the restore is killed. */
export function markRestoring(folder: string): void {
  writeFileSync(join(folder, restoringMark), "", { mode: 0o600 });
}

/** Whether a restore has marked the folder and was killed, where none is under way. */
export function isMarkedRestoring(folder: string): boolean {
  return existsSync(join(folder, restoringMark));
}

export function unmarkRestoring(folder: string): void {
  rmSync(join(folder, restoringMark), { force: true });
}

/** Throws a sentence for the operator where a restore is under way or was killed. Touches nothing. */
export function requireNoRestore({
  databaseUrl,
  dataFolder,
}: {
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
}): void {
  if (!isMarkedRestoring(dataFolder)) return;
  // The database gets its name in the last step: one that was killed after it is whole.
  if (databaseUrl === undefined && existsSync(join(dataFolder, sqliteFile))) return;
  throw new Error(
    `A restore to ${databaseUrl === undefined ? dataFolder : "this database"} is not complete: run \`sealpost-server restore\` again, it begins from the start. To give it up, delete ${join(dataFolder, restoringMark)}`,
  );
}
