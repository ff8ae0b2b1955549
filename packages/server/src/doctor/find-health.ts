import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { backupKey } from "../instance/instance.ts";
import { type Backlog, readBacklog } from "../metrics/backlog-store.ts";
import type { Clock } from "../time/clock.ts";
import { checkConfig } from "./check-config.ts";
import { checkDatabase } from "./check-database.ts";
import { checkFolder } from "./check-folder.ts";
import { checkStorage } from "./check-storage.ts";
import { findInstanceValue } from "./doctor-store.ts";
import type { Finding } from "./finding.ts";

export interface FindHealthDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
}

export interface Health {
  readonly findings: readonly Finding[];
  readonly backlog: Backlog;
  /** When the last backup was made, as far as is known. */
  readonly lastBackupAt: number | undefined;
}

/** However many operators look: the doctor's statements run this often at most. */
const everyMilliseconds = 10_000;

/** The findings of the doctor from inside a running service: it asks no other machine but the database's. */
export function createFindHealth({ config, database, clock }: FindHealthDependencies): () => Promise<Health> {
  let last: { readonly health: Promise<Health>; readonly at: number } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || Math.abs(now - last.at) > everyMilliseconds) {
      const health = look(config, database, now);
      last = { health, at: now };
      // One that failed is not kept.
      health.catch(() => {
        last = undefined;
      });
    }
    return last.health;
  };
}

async function look(config: Config, database: Database, now: number): Promise<Health> {
  const backup = await findInstanceValue(database, backupKey);
  return {
    findings: [
      ...checkConfig(config),
      ...(config.databaseUrl === undefined ? checkFolder(config.dataFolder) : []),
      await checkStorage(config),
      ...(await checkDatabase(config, now)),
    ],
    backlog: await readBacklog(database, now),
    lastBackupAt: backup === undefined ? undefined : Number(backup),
  };
}
