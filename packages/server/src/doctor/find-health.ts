import type { Config } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import type { Clock } from "../time/clock.ts";
import type { Health } from "./look.ts";

export interface FindHealthDependencies {
  readonly config: Config;
  readonly database: Database;
  readonly clock: Clock;
}

/** However many operators look: the doctor's statements run this often at most. */
const everyMilliseconds = 10_000;

/** The findings of the doctor from inside a running service: it asks no other machine but the database's. */
export function createFindHealth({ config, database, clock }: FindHealthDependencies): () => Promise<Health> {
  let last: { readonly health: Promise<Health>; readonly at: number } | undefined;
  return () => {
    const now = clock.now();
    if (last === undefined || Math.abs(now - last.at) > everyMilliseconds) {
      const health = lookInside(config, database, now);
      last = { health, at: now };
      // One that failed is not kept.
      health.catch(() => {
        last = undefined;
      });
    }
    return last.health;
  };
}

/** The checks are loaded when an operator looks for the first time. */
async function lookInside(config: Config, database: Database, now: number): Promise<Health> {
  const { look } = await import("./look.ts");
  return look(config, database, now);
}
