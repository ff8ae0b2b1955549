import { setImmediate } from "node:timers/promises";
import type { Clock } from "../time/clock.ts";
import { createLoop, type Loop } from "../time/loop.ts";
import type { UsageStore } from "./usage-store.ts";

export interface UsageWorkerDependencies {
  readonly usage: Pick<UsageStore, "check">;
  readonly clock: Clock;
  readonly report: (error: unknown) => void;
}

const lookMilliseconds = 60_000;

/** Counts what older versions stored and did not count, form by form; where it stops, the next start resumes. */
export function createUsageWorker({ usage, clock, report }: UsageWorkerDependencies): Pick<Loop, "start" | "stop"> {
  const loop = createLoop({
    everyMilliseconds: lookMilliseconds,
    async run() {
      while (!loop.isStopped() && (await usage.check(clock.now()))) await setImmediate();
    },
    report,
  });
  return loop;
}
