import { fileURLToPath } from "node:url";
import type { FastifyInstance } from "fastify";
import type { Config } from "./config/config.ts";
import type { Database } from "./database/database.ts";
import { explainFolderFailure } from "./database/folder-failure.ts";
import { backgroundSteps, type TableVersion } from "./database/migrate.ts";
import type { Readiness } from "./http/health-routes.ts";
import { createLog } from "./http/log.ts";
import type { Output } from "./output/output.ts";
import { type AppOptions, createApp } from "./startup/app.ts";
import { beginWork } from "./startup/begin-work.ts";
import { openCapabilities } from "./startup/capabilities.ts";
import { type CoreOptions, openCore } from "./startup/core.ts";
import { type Closers, type GroundOptions, openGround } from "./startup/ground.ts";

export const embedFolder = fileURLToPath(new URL("../../embed/dist/browser", import.meta.url));
export const dashboardFolder = fileURLToPath(new URL("../../dashboard/dist", import.meta.url));

export interface ServiceOptions extends Omit<CoreOptions, "embedFolder" | "dashboardFolder">, AppOptions {
  readonly config: Config;
  readonly clock: GroundOptions["clock"];
  readonly embedFolder?: string;
  /** Where the log goes; standard output when omitted. */
  readonly output?: Pick<Output, "write" | "dropped">;
  /** False where `/health/ready` answers 503 until `announced` is called. */
  readonly isAnnounced?: boolean;
  /** How often a process looks whether the secret is being changed; tests are less patient. */
  readonly secretMilliseconds?: number;
  /** The tables that it brings the database to, where they are not this program's own. */
  readonly tables?: TableVersion;
  /** The thread that writes to SQLite, where it is not this program's own. */
  readonly writerEntry?: URL;
}

export interface Service {
  readonly app: FastifyInstance;
  readonly database: Database;
  /** The public origin. */
  readonly url: string;
  /** The one-time token for the first account; `undefined` when there is an account already. */
  readonly setupToken: string | undefined;
  /** The operator can read where the service is, and how to make the first account: from here on it is ready. */
  announced(): void;
  /**
   * Says that it is not ready for as long as a load balancer needs to see it, if there is one. Then stops taking requests,
   * lets open ones and running attempts end, closes the database.
   */
  stop(): Promise<void>;
}

/**
 * Opens everything and listens. What it opened is closed in reverse when a step fails, and by `stop`. Throws a sentence for
 * the operator when the data folder cannot be used.
 */
export async function startService(options: ServiceOptions): Promise<Service> {
  const closers: Closers = [];
  const close = async () => {
    const outcomes: PromiseSettledResult<unknown>[] = [];
    // One that fails keeps none of the others open, or the process would never end.
    for (const end of closers.splice(0).reverse()) outcomes.push(...(await Promise.allSettled([end()])));
    for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
  };
  try {
    return await start(options, closers, close);
  } catch (error) {
    await close();
    const { databaseUrl, dataFolder } = options.config;
    throw databaseUrl === undefined ? explainFolderFailure(error, dataFolder) : error;
  }
}

/** Floor by floor, as `docs/architecture.md` draws them: each is opened with those below it. */
async function start(options: ServiceOptions, closers: Closers, close: () => Promise<void>): Promise<Service> {
  const { config, clock } = options;
  let readiness: Readiness = options.isAnnounced === false ? "starting" : "ready";
  let stopped: Promise<void> | undefined;
  const log = createLog(config.logLevel, options.output);
  const ground = await openGround({
    ...{ config, clock, closers, log, countDropped: () => options.output?.dropped() ?? 0 },
    ...{ secretMilliseconds: options.secretMilliseconds, tables: options.tables, writerEntry: options.writerEntry },
  });
  const core = await openCore(ground, { dashboardFolder, embedFolder, ...options });
  const capabilities = await openCapabilities(core, () => readiness);
  const app = await createApp(core, capabilities, options);
  await beginWork(core, capabilities, app, options.tables?.backgroundSteps ?? backgroundSteps);
  return {
    app,
    database: core.database,
    url: core.address.baseUrl(),
    setupToken: (await core.accounts.hasAny()) ? undefined : core.setupToken,
    announced: () => {
      if (readiness === "starting") readiness = "ready";
    },
    stop: () => {
      readiness = "stopping";
      stopped ??= drain(config.drainSeconds).then(close);
      return stopped;
    },
  };
}

async function drain(seconds: number): Promise<void> {
  if (seconds > 0) await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
}
