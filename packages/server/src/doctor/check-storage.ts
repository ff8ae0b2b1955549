import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";
import { type Database, openDatabase } from "../database/database.ts";
import { sqliteFile } from "../database/open-sqlite.ts";
import { findDisk, findStorage, type Storage } from "../quotas/storage-store.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

const mebibyte = 1_048_576;

/** How much may still be stored, as the service sees it. */
export async function checkStorage(config: Config): Promise<Finding> {
  const { databaseUrl, dataFolder, storageMax } = config;
  if (databaseUrl !== undefined && storageMax === undefined)
    return warning(
      "disk",
      "Nothing bounds how large the PostgreSQL database becomes, and its disk is not seen from here",
      "Set SEALPOST_STORAGE_MAX to what its disk has room for, like 50GiB",
    );
  // A folder without a database is on the disk that one will be on; one that is not there yet is made here.
  if (databaseUrl === undefined && !existsSync(join(dataFolder, sqliteFile)))
    return classifyStorage(
      config,
      await findDisk({ ...config, dataFolder: existsSync(dataFolder) ? dataFolder : "." }, async () => 0),
    );
  let database: Database | undefined;
  try {
    database = openDatabase(config);
    return classifyStorage(config, await findStorage(config, database));
  } catch {
    return warning("disk", "What may still be stored could not be found out", "See what is said of the database");
  } finally {
    await database?.destroy();
  }
}

/** Below the floor submissions are refused with 503; nothing that was accepted is lost by it. */
export function classifyStorage({ databaseUrl }: Pick<Config, "databaseUrl">, storage: Storage | undefined): Finding {
  if (storage === undefined)
    return warning(
      "disk",
      "The disk may be filled to the last byte: SEALPOST_DISK_FREE_MIN is 0",
      "Leave it unset: then a gibibyte stays free, or a twentieth of a small disk",
    );
  const remedy =
    databaseUrl === undefined
      ? "Delete old submissions, free some space, move SEALPOST_DATA to a larger disk, or lower SEALPOST_DISK_FREE_MIN"
      : "Raise SEALPOST_STORAGE_MAX if the disk has room; or delete old submissions and give their space back: VACUUM FULL";
  const { leftBytes, reserveBytes } = storage;
  const left = `${Math.floor(leftBytes / mebibyte)} MiB may still be stored`;
  if (leftBytes <= 0) return problem("disk", "No submission is accepted: there is no room for more", remedy);
  if (leftBytes <= reserveBytes)
    return warning("disk", `${left}, and only small submissions of quiet addresses are accepted`, remedy);
  return leftBytes <= 2 * reserveBytes ? warning("disk", left, remedy) : ok("disk", left);
}
