import { setImmediate } from "node:timers/promises";
import type { Database } from "../../database/database.ts";
import type { Clock } from "../../time/clock.ts";
import { systemClock } from "../../time/clock.ts";
import { createBinPurgeStore } from "../bin-purge-store.ts";
import { createPurgeStore } from "../purge-store.ts";
import { createPurgeSteps, purgeAll } from "../purge-worker.ts";
import { createRetentionStore } from "../retention-store.ts";

/** Purges until no work is left, also none that the service's own worker has in hand; in the days after a restore once. */
export async function purge(
  { database }: { readonly database: Database },
  clock: Clock = systemClock,
  restoredTo?: number,
): Promise<void> {
  const steps = createPurgeSteps({
    purge: createPurgeStore(database),
    retention: createRetentionStore(database),
    bin: createBinPurgeStore(database),
    purgeAuditLog: async () => false,
    shortenAuditLog: async () => false,
    purgeEnded: async () => false,
    tidy: async () => false,
    purgeAccounts: async () => false,
    remind: async () => false,
  });
  do {
    await setImmediate();
    await purgeAll({
      ...{ steps, now: clock.now(), isTrusted: restoredTo === undefined, restoredTo },
      ...{ wakeDeliveries: () => {}, isStopped: () => false },
    });
    if (restoredTo !== undefined) return;
  } while ((await isListed(database, "submission_purge")) || (await isListed(database, "form_purge")));
}

async function isListed(database: Database, table: "submission_purge" | "form_purge"): Promise<boolean> {
  return (await database.selectFrom(table).select("form_id").limit(1).executeTakeFirst()) !== undefined;
}
