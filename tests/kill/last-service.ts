import type { TestContext } from "node:test";
import { parseConfig } from "../../packages/server/src/config/config.ts";
import type { Database } from "../../packages/server/src/database/database.ts";
import { gapsMilliseconds } from "../../packages/server/src/deliveries/delivery.ts";
import { startService } from "../../packages/server/src/service.ts";
import { closeAtEnd } from "../../packages/server/src/testing/temporary-folder.ts";

export interface LastService {
  readonly database: Database;
  /** Resolves when nothing is due or in flight. */
  settle(): Promise<void>;
  /** Lets every gap of the schedule pass, at its longest, and settles after each. */
  passSchedule(): Promise<void>;
}

/** The service in this process, on what the killed ones left, with a clock that can be moved forward. */
export async function startLastService(
  t: TestContext,
  environment: Readonly<Record<string, string>>,
  ca: string,
): Promise<LastService> {
  const { SEALPOST_DATA, SEALPOST_DATABASE_URL, SEALPOST_SECRET, SEALPOST_WEBHOOK_ALLOW_NETWORKS } = environment;
  let ahead = 0;
  const clock = { now: () => Date.now() + ahead };
  let onIdle = () => {};
  const service = await startService({
    config: parseConfig({
      SEALPOST_DATA,
      SEALPOST_DATABASE_URL,
      SEALPOST_SECRET,
      SEALPOST_WEBHOOK_ALLOW_NETWORKS,
      SEALPOST_PORT: "0",
      SEALPOST_LOG_LEVEL: "error",
    }),
    clock,
    deliveries: {
      ca,
      observe: ({ kind }) => {
        if (kind === "idle") onIdle();
      },
    },
  });
  closeAtEnd(t, () => service.stop());
  const { database } = service;

  async function settle(): Promise<void> {
    for (;;) {
      await new Promise<void>((resolve) => {
        onIdle = resolve;
      });
      // It may have looked at the queue before the clock was moved.
      const due = await database
        .selectFrom("delivery_queue")
        .select("delivery_id")
        .where("due_at", "<=", clock.now())
        .limit(1)
        .executeTakeFirst();
      if (due === undefined) return;
    }
  }
  return {
    database,
    settle,
    async passSchedule() {
      for (const gap of gapsMilliseconds.slice(1)) {
        ahead += Math.ceil(gap * 2.2);
        await settle();
      }
    },
  };
}
