import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import { createLoop } from "../time/loop.ts";
import { changeKeys } from "./change-keys.ts";
import type { Database } from "./database.ts";
import { isDistributed } from "./distribution.ts";
import { type KeyState, keyStatesQuery } from "./form-keys.ts";
import { type Hosts, isPooled, openPrimaryClient, type PrimaryClient } from "./hosts.ts";
import { kindOf } from "./kind.ts";

/** Brings the keys of a PostgreSQL database up to date while it is served; one process of all at a time. */
export interface KeyWorker {
  start(): void;
  /** The next process that starts continues what is half done. */
  stop(): Promise<void>;
}

export interface KeyWorkerOptions {
  readonly database: Database;
  /** The servers themselves, with no pooler between: an index is not built in a transaction. */
  readonly hosts: Hosts;
  readonly log: { info(message: string): void; warn(message: string): void };
  readonly report: (error: unknown) => void;
}

const everyMilliseconds = 60_000;
const pooled =
  "the keys of the database's tables stay unchanged, as a pooler is between: SEALPOST_DATABASE_DIRECT_URL names the server itself";

/** The tables whose keys do not end with the form yet. Empty on SQLite, whose keys stay. */
export async function listOldKeys(database: Database): Promise<readonly KeyState[]> {
  if (kindOf(database) === "sqlite") return [];
  const { rows } = await sql.raw<KeyState>(keyStatesQuery).execute(database);
  return rows.filter(({ isChanged }) => !isChanged);
}

/** Whether an attempt has no form although its delivery is there: an older process wrote it, or a copy or a restore brought it. */
async function isAttemptUnfilled(database: Database): Promise<boolean> {
  // The tables of a cluster were whole when they were spread over it, and no older process writes to them.
  if (isDistributed(database)) return false;
  const { rows } = await sql`
    select 1 from attempt a join delivery d on d.id = a.delivery_id where a.form_id = '' limit 1`.execute(database);
  return rows.length > 0;
}

export function createKeyWorker({ database, hosts, log, report }: KeyWorkerOptions): KeyWorker {
  const stopping = new AbortController();
  let connection: PrimaryClient | undefined;
  let hasWarned = false;

  const waitUnlessStopped = (milliseconds: number) => wait(milliseconds, undefined, { signal: stopping.signal });

  async function run(): Promise<void> {
    if ((await listOldKeys(database)).length === 0 && !(await isAttemptUnfilled(database))) return;
    if (await isPooled(hosts)) {
      if (!hasWarned) log.warn(pooled);
      hasWarned = true;
      return;
    }
    connection = await openPrimaryClient(hosts);
    try {
      if (loop.isStopped()) return;
      await changeKeys({
        client: connection.client,
        wait: waitUnlessStopped,
        isStopped: loop.isStopped,
        report: (step) => log.info(`database: ${step}`),
      });
    } finally {
      connection.drop();
      connection = undefined;
    }
  }

  const loop = createLoop({
    everyMilliseconds,
    run,
    report: (error) => {
      if (!loop.isStopped()) report(error);
    },
  });
  return {
    start: () => loop.start(),
    async stop() {
      const stopped = loop.stop();
      stopping.abort();
      // Nobody waits for an index, which the server finishes by itself.
      connection?.drop();
      await stopped;
    },
  };
}
