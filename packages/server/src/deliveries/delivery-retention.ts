import { setImmediate as nextTurnOfTheLoop } from "node:timers/promises";
import { type Clock, hourMilliseconds } from "../time/clock.ts";
import type { DeliveryRetentionStore } from "./delivery-retention-store.ts";

const batch = 1000;
const everyMilliseconds = hourMilliseconds;

export interface DeliveryRetention {
  /** Removes what is too old, now and every hour. */
  start(): void;
  /** Removes what is too old, in batches that let others at the database in between; answers how many. */
  run(): Promise<number>;
  stop(): Promise<void>;
}

export interface RetentionDependencies {
  readonly store: DeliveryRetentionStore;
  /** How long the log keeps a delivery after its end. */
  readonly retentionMilliseconds: number;
  /** Whether what is too old may be deleted: not by a clock that is not trusted, nor in the days after a restore. */
  readonly mayDeleteOld: (now: number) => Promise<boolean>;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

export function createDeliveryRetention({
  store,
  retentionMilliseconds,
  mayDeleteOld,
  clock,
  report,
}: RetentionDependencies): DeliveryRetention {
  let isStopping = false;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(): Promise<number> {
    let total = 0;
    // The one time of the run, for which the guard is asked.
    const now = clock.now();
    if (!(await mayDeleteOld(now))) return total;
    while (!isStopping) {
      const count = await store.deleteEnded(now - retentionMilliseconds, batch);
      total += count;
      if (count < batch) break;
      await nextTurnOfTheLoop();
    }
    return total;
  }
  function runSafely(): void {
    // One after the other; what a failure leaves is found by the next.
    running = running.then(run).then(() => {}, report);
  }
  return {
    run,
    start() {
      timer = setInterval(runSafely, everyMilliseconds);
      timer.unref();
      runSafely();
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await running;
    },
  };
}
