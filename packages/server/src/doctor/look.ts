import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { backupKey } from "../instance/instance.ts";
import { type Backlog, readBacklog } from "../metrics/backlog-store.ts";
import { checkConfig } from "./check-config.ts";
import { checkDatabase } from "./check-database.ts";
import { checkFolder } from "./check-folder.ts";
import { checkStorage } from "./check-storage.ts";
import { findInstanceValue } from "./doctor-store.ts";
import type { Finding } from "./finding.ts";

export interface Health {
  readonly findings: readonly Finding[];
  readonly backlog: Backlog;
  /** When the last backup was made, as far as is known. */
  readonly lastBackupAt: number | undefined;
}

/** Findings of the doctor from inside a running service, at one moment. */
export async function look(config: Config, database: Database, now: number): Promise<Health> {
  const backup = await findInstanceValue(database, backupKey);
  return {
    findings: [
      ...checkConfig(config),
      ...(config.databaseUrl === undefined ? checkFolder(config.dataFolder) : []),
      await checkStorage(config),
      ...(await checkDatabase(config, now)),
    ],
    backlog: await readBacklog(database, now),
    lastBackupAt: backup === undefined || !Number.isSafeInteger(Number(backup)) ? undefined : Number(backup),
  };
}
