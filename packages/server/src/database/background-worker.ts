import { setTimeout as wait } from "node:timers/promises";
import { sql } from "kysely";
import { createLoop } from "../time/loop.ts";
import { type BackgroundStep, printLeft, runBackgroundSteps } from "./background-steps.ts";
import type { Database } from "./database.ts";
import { type Hosts, isPooled, openPrimaryClient, type PrimaryClient } from "./hosts.ts";
import { kindOf } from "./kind.ts";

/** Does what migrations left to the background of a PostgreSQL database, while it is served; one process of all at a time. */
export interface BackgroundWorker {
  start(): void;
  /** The next process that starts continues what is half done. */
  stop(): Promise<void>;
}

export interface BackgroundWorkerOptions {
  readonly database: Database;
  /** The servers themselves, with no pooler between: an index is not built in a transaction. */
  readonly hosts: Hosts;
  readonly steps: readonly BackgroundStep[];
  readonly log: { info(message: string): void; warn(message: string): void };
  readonly report: (error: unknown) => void;
}

const everyMilliseconds = 60_000;
/** After a look that found another process at it: the server may not have noticed yet that it was killed. */
const otherMilliseconds = 1_000;
const pooled =
  "the database's tables are not changed to the end, as a pooler is between: SEALPOST_DATABASE_DIRECT_URL names the server itself";

/** The steps that are not done. Empty on SQLite, where a migration does everything before the start. */
export async function listStepsLeft(
  database: Database,
  steps: readonly BackgroundStep[],
): Promise<readonly BackgroundStep[]> {
  if (kindOf(database) === "sqlite") return [];
  const left: BackgroundStep[] = [];
  for (const step of steps) {
    const { rows } = await sql.raw(printLeft(step)).execute(database);
    if (rows.length > 0) left.push(step);
  }
  return left;
}

export function createBackgroundWorker(options: BackgroundWorkerOptions): BackgroundWorker {
  const { database, hosts, steps, log, report } = options;
  const stopping = new AbortController();
  let connection: PrimaryClient | undefined;
  let hasWarned = false;

  const waitUnlessStopped = (milliseconds: number) => wait(milliseconds, undefined, { signal: stopping.signal });

  async function run(): Promise<void> {
    if ((await listStepsLeft(database, steps)).length === 0) return;
    if (await isPooled(hosts)) {
      if (!hasWarned) log.warn(pooled);
      hasWarned = true;
      return;
    }
    while (!loop.isStopped() && !(await runOnce())) await waitUnlessStopped(otherMilliseconds);
  }

  /** False when another process is at it. */
  async function runOnce(): Promise<boolean> {
    connection = await openPrimaryClient(hosts);
    try {
      return await runBackgroundSteps({
        client: connection.client,
        steps,
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
      // Nobody waits for an index, which the server finishes on its own.
      connection?.drop();
      await stopped;
    },
  };
}
