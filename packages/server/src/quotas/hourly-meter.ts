import type { FormId } from "@sealpost/wire";
import { type Clock, hourMilliseconds } from "../time/clock.ts";
import { createMemory } from "./memory.ts";
import type { UsageStore } from "./usage-store.ts";

export interface HourlyMeter {
  /** Counts a submission of a form that takes `max` in an hour. Gives the seconds to wait if it was one too many. */
  take(formId: FormId, max: number): Promise<number | undefined>;
  /** Says that a submission that was counted is stored now, or will never be. */
  end(formId: FormId): void;
}

export interface HourlyMeterDependencies {
  readonly usage: Pick<UsageStore, "findReceived">;
  readonly clock: Clock;
}

/** The last ones are counted by the rows themselves, which all processes share. */
const exactLast = 16;
/** While only submissions in progress block it: they may still fail. */
const underWayRetrySeconds = 10;

/** The hour is the last 60 minutes, whenever they are: what is stored of them counts, in whatever process it was received. */
export function createHourlyMeter({ usage, clock }: HourlyMeterDependencies): HourlyMeter {
  /** Counted, and not stored yet when somebody looks: hundreds of one moment would all find the same room otherwise. */
  const underWay = new Map<string, number>();
  const memory = createMemory(async (key: string) => {
    const [formId = "", max] = key.split("/");
    const unseen = underWay.get(formId) ?? 0;
    const now = clock.now();
    // Rows that are dated later came while a clock was wrong: nobody knows when, and they would refuse visitors for as long as it was ahead.
    const time = { from: now - hourMilliseconds, to: now + hourMilliseconds };
    return { ...(await usage.findReceived(formId, time, Number(max))), unseen };
  });
  return {
    async take(formId, max) {
      const key = `${formId}/${max}`;
      const hour = await memory.find(
        key,
        ({ value, taken }) => value.count >= max || max - value.count - value.unseen - taken > exactLast,
      );
      if (hour.value.count + hour.value.unseen + hour.taken < max) {
        hour.taken += 1;
        underWay.set(formId, (underWay.get(formId) ?? 0) + 1);
        return undefined;
      }
      if (hour.value.count < max) return underWayRetrySeconds;
      const { reachedAt = clock.now() } = hour.value;
      return Math.max(1, Math.ceil((reachedAt + hourMilliseconds - clock.now()) / 1000));
    },
    end(formId) {
      const left = (underWay.get(formId) ?? 0) - 1;
      if (left > 0) underWay.set(formId, left);
      else underWay.delete(formId);
    },
  };
}
