import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** In a data folder whose instance lives in PostgreSQL from then on. */
export const copiedMark = "copied-to-postgresql";

/** Nobody serves or changes this instance from here on, or the copy and it would both deliver. */
export function markCopied(folder: string): void {
  writeFileSync(join(folder, copiedMark), "", { mode: 0o600 });
}

export function unmarkCopied(folder: string): void {
  rmSync(join(folder, copiedMark), { force: true });
}

export function isMarkedCopied(folder: string): boolean {
  return existsSync(join(folder, copiedMark));
}

/** Throws a sentence for the operator where the instance in the folder was copied, and is the one that is asked for. */
export function requireNotCopied(config: {
  readonly databaseUrl: string | undefined;
  readonly dataFolder: string;
}): void {
  const mark = join(config.dataFolder, copiedMark);
  if (config.databaseUrl !== undefined || !existsSync(mark)) return;
  throw new Error(
    `The instance in ${config.dataFolder} was copied to PostgreSQL: set SEALPOST_DATABASE_URL and serve it there. If both were served, both would deliver. To go back to this one, stop the other for good and delete ${mark}; what the other received since is not here`,
  );
}
