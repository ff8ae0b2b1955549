import type { FormId } from "@sealpost/wire";
import type { Clock } from "../clock.ts";
import { createMemory } from "./memory.ts";
import type { UsageStore } from "./usage-store.ts";

export interface HourlyMeter {
  /** Counts a submission of a form that takes `max` in an hour. Gives the seconds to wait if it was one too many. */
  take(formId: FormId, max: number): Promise<number | undefined>;
}

export interface HourlyMeterDependencies {
  readonly usage: Pick<UsageStore, "findReceived">;
  readonly clock: Clock;
}

const hourMilliseconds = 3_600_000;
/** The last ones are counted by the rows themselves, which all processes share. */
const exactLast = 16;

/** The hour is the last 60 minutes, whenever they are: what is stored of them counts, in whatever process it was received. */
export function createHourlyMeter({ usage, clock }: HourlyMeterDependencies): HourlyMeter {
  const memory = createMemory(async (key: string) => {
    const [formId = "", max] = key.split("/");
    return usage.findReceived(formId, clock.now() - hourMilliseconds, Number(max));
  });
  return {
    async take(formId, max) {
      const key = `${formId}/${max}`;
      const hour = await memory.find(
        key,
        ({ value, taken }) => value.count >= max || max - value.count - taken > exactLast,
      );
      if (hour.value.count + hour.taken < max) {
        hour.taken += 1;
        return undefined;
      }
      const { reachedAt = clock.now() } = hour.value;
      return Math.max(1, Math.ceil((reachedAt + hourMilliseconds - clock.now()) / 1000));
    },
  };
}
