import { statfs } from "node:fs/promises";
import { sql } from "kysely";
import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { gibibyte } from "./quota.ts";

/** The room left for the database, if it can be seen. */
export interface Storage {
  /** Until nothing more is accepted; 0 or less when nothing is. */
  readonly leftBytes: number;
  /** The part of what is left that is kept for small bodies from quiet addresses. */
  readonly reserveBytes: number;
}

export type StorageSettings = Pick<Config, "databaseUrl" | "dataFolder" | "diskFreeMin" | "storageMax">;

/** `undefined` where nothing is bounded: the bound is switched off, or the disk is another machine's. */
export function findStorage(settings: StorageSettings, database: Database): Promise<Storage | undefined> {
  return settings.databaseUrl === undefined
    ? findDisk(settings, () => countFreePages(database))
    : findDatabase(settings.storageMax, database);
}

/**
 * A SQLite file does not shrink: the pages that deleting has freed are the first to be written again, so they count as room,
 * as long as the disk has a quarter of what it is to keep. The log of SQLite and every other program need that.
 */
export async function findDisk(
  { dataFolder, diskFreeMin }: Pick<StorageSettings, "dataFolder" | "diskFreeMin">,
  countFree: () => Promise<number>,
): Promise<Storage | undefined> {
  if (diskFreeMin === 0) return undefined;
  const { bavail, blocks, bsize } = await statfs(dataFolder);
  const freeBytes = bavail * bsize;
  const usual = Math.min(gibibyte, (blocks * bsize) / 20);
  const floor = diskFreeMin ?? usual;
  const leftBytes = freeBytes < floor / 4 ? freeBytes - floor : freeBytes - floor + (await countFree());
  return { leftBytes, reserveBytes: usual };
}

async function findDatabase(storageMax: number | undefined, database: Database): Promise<Storage | undefined> {
  if (storageMax === undefined) return undefined;
  const { rows } = await sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`.execute(database);
  return { leftBytes: storageMax - Number(rows[0]?.bytes), reserveBytes: Math.min(gibibyte, storageMax / 20) };
}

async function countFreePages(database: Database): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select freelist_count * page_size as bytes from pragma_freelist_count, pragma_page_size`.execute(database);
  return rows[0]?.bytes ?? 0;
}
