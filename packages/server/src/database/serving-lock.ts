import { type FolderLock, takeFolderLock } from "./folder-lock.ts";

/**
 * Takes the right to serve a data folder, or to copy it; throws a sentence for the operator when another process has it. Two services on one
 * SQLite database would each think that the other's claims of deliveries are left over from a crash. Account commands don't take it.
 */
export function takeServingLock(folder: string): FolderLock {
  const lock = takeFolderLock(folder, "serving.lock");
  if (lock === undefined)
    throw new Error(`The data folder ${folder} is in use: another sealpost-server serves or copies it`);
  return lock;
}
