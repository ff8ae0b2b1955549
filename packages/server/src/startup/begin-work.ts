import type { FastifyInstance } from "fastify";
import type { BackgroundStep } from "../database/background-steps.ts";
import { createBackgroundWorker } from "../database/background-worker.ts";
import { createReport } from "../database/failed-rows.ts";
import { findWorkers } from "../database/workers.ts";
import { findOpenFolder } from "../instance/data-folder.ts";
import { describeEnd } from "../retention/held-back.ts";
import type { Capability } from "./capability.ts";
import type { Core } from "./core.ts";
import type { Ground } from "./ground.ts";

/**
 * Starts what works in the background, and listens. The last capability of the list starts first and stops last: those before it
 * may give it work.
 */
export async function beginWork(
  core: Core,
  capabilities: readonly Capability[],
  app: FastifyInstance,
  steps: readonly BackgroundStep[],
): Promise<void> {
  const { config, address, database, hosts, closers } = core;
  const openFolder = config.databaseUrl === undefined ? findOpenFolder(config.dataFolder) : undefined;
  if (openFolder !== undefined) app.log.warn(openFolder);
  const heldBack = await core.findHeldBack(core.clock.now());
  if (heldBack !== undefined)
    app.log.warn(
      `restored to ${new Date(heldBack.since).toISOString()}: nothing is deleted for its age before ${describeEnd(heldBack)}, so that legal holds and retention of since then can be set again (sealpost-server deletions)`,
    );
  hosts?.logTo(app.log);
  findWorkers(database)?.logTo(app.log);
  for (const { worker } of capabilities.toReversed()) {
    if (worker === undefined) continue;
    await worker.start(app.log);
    closers.push(async () => void (await worker.stop()));
  }
  closers.push(() => app.close());
  await app.listen({ host: config.host, port: config.port });
  const listening = app.server.address();
  if (typeof listening === "object" && listening !== null) address.listeningOn(listening.port);
  core.secretWatch.start(app.log);
  startBackgroundWorker(core, app, steps);
}

/** Last: it may take hours, while everything is served. */
function startBackgroundWorker(
  { database, directHosts: hosts, log, closers }: Ground,
  app: FastifyInstance,
  steps: readonly BackgroundStep[],
): void {
  if (hosts === undefined || steps.length === 0) return;
  const worker = createBackgroundWorker({ database, hosts, steps, log: app.log, report: createReport(log, "tables") });
  worker.start();
  closers.push(() => worker.stop());
}
