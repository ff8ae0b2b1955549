/** One more process that delivers, for `bench -- deliveries --processes`. Says "ready", and then how many it has delivered since it said so last. */
import { createDeliveryBench } from "../packages/server/src/deliveries/testing/delivery-bench.ts";

/** The first message to the process; each later one wakes its worker. */
export interface ProcessStart {
  readonly databaseUrl: string;
  /** Certificate of the receivers' authority, PEM. */
  readonly ca: string;
  /** Empty, for its files. */
  readonly folder: string;
}

if (process.send !== undefined) process.once("message", (start) => void serve(start as ProcessStart)); // sent by `startProcesses`

async function serve({ databaseUrl, ca, folder }: ProcessStart): Promise<void> {
  let delivered = 0;
  const say = (message: string | number) => process.send?.(message);
  const { worker } = await createDeliveryBench({ after: () => {} } as never, {
    ...{ authority: { ca } as never, databaseUrl, folder }, // all of it that is used
    clock: { now: Date.now, advance: () => {}, jump: () => {}, steady: { now: () => performance.now() } },
    deadlineMilliseconds: 30_000,
    observe: (signal) => {
      if (signal.kind !== "request_ended" || signal.completion.after.state !== "delivered") return;
      if (delivered++ === 0)
        setImmediate(() => {
          say(delivered);
          delivered = 0;
        });
    },
  });
  process.on("message", () => worker.wake());
  process.once("disconnect", () => process.exit());
  worker.start();
  say("ready");
}
