import { sql } from "kysely";
import { olderApplicationName } from "../database/application-name.ts";
import type { Database } from "../database/database.ts";
import { createLoop } from "../time/loop.ts";

/**
 * Whether a process of a version before 0013-bodies-from-rows may still serve a PostgreSQL database: while an instance is
 * upgraded, one runs alongside this process. None can start any more.
 */
export interface OlderProcesses {
  /** Becomes false once, and stays so. */
  readonly mayServe: () => boolean;
  /** Resolves after the first look. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** An older process that lost its connections is back before this: it looks for deliveries each second. */
const looksMin = 10;
/** The key of the row of `instance` which says that they are gone. */
const goneKey = "older_processes";

export interface OlderProcessesOptions {
  readonly report: (error: unknown) => void;
  /** Whether a pooler is between: it lends one connection to many processes, which then has the name of the last. */
  readonly isPooled: () => Promise<boolean>;
  readonly everyMilliseconds?: number;
}

export function createOlderProcesses(
  database: Database,
  { report, isPooled, everyMilliseconds = 60_000 }: OlderProcessesOptions,
): OlderProcesses {
  let mayServe = true;
  let looksWithoutOne = 0;

  async function look(): Promise<void> {
    if (!mayServe) return;
    if (await isKnownGone()) {
      mayServe = false;
      return;
    }
    looksWithoutOne = (await isThereOne()) ? 0 : looksWithoutOne + 1;
    if (looksWithoutOne === 0) return;
    // Names prove nothing past a pooler, however often they are looked at.
    if ((await hasAccounts()) && (looksWithoutOne < looksMin || (await isPooled()))) return;
    await database
      .insertInto("instance")
      .values({ key: goneKey, value: "gone" })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .execute();
    mayServe = false;
  }

  async function isKnownGone(): Promise<boolean> {
    const row = await database.selectFrom("instance").select("value").where("key", "=", goneKey).executeTakeFirst();
    return row !== undefined;
  }

  async function isThereOne(): Promise<boolean> {
    const { rows } = await sql`
      select 1 from pg_stat_activity
      where datname = current_database() and application_name = ${olderApplicationName} limit 1`.execute(database);
    return rows.length > 0;
  }

  /** Without an account there is no form whose deliveries an older process could have. */
  async function hasAccounts(): Promise<boolean> {
    return (await database.selectFrom("account_holder").select("id").limit(1).executeTakeFirst()) !== undefined;
  }

  const loop = createLoop({ everyMilliseconds, run: look, report });
  return {
    mayServe: () => mayServe,
    async start() {
      await look();
      loop.start();
    },
    stop: () => loop.stop(),
  };
}
