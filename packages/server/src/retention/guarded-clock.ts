import type { Clock } from "../time/clock.ts";
import { type ClockSeen, classifyClock, dateBy } from "./clock-guard.ts";

/** The clock of a service: that of its machine or database, but that it does not follow one that is set back before it has been looked at for a day. */
export interface GuardedClock extends Clock {
  /** Knowledge of the clock; `undefined` before it was read. */
  seen(): ClockSeen | undefined;
  /** Whether it may say what is too old, as far as it was read and as other processes have noted. */
  isTrusted(): boolean;
  /** Takes what other processes, or one before this, have seen. */
  adopt(seen: ClockSeen | undefined): void;
}

/** Between two readings that are no further apart nothing needs to be classified. */
const classifyMilliseconds = 60_000;

/** `steady` advances with what passes, also where the machine sleeps, and is never set: milliseconds since any moment. */
export function createGuardedClock(own: Clock, steady: Clock | undefined): GuardedClock {
  let seen: ClockSeen | undefined;
  let last: { readonly now: number; readonly steady: number | undefined } | undefined;
  return {
    now() {
      const now = own.now();
      const moved = last === undefined ? Number.POSITIVE_INFINITY : now - last.now;
      if (seen === undefined || moved < 0 || moved >= classifyMilliseconds) {
        const steadyNow = steady?.now();
        const passed = last?.steady === undefined || steadyNow === undefined ? undefined : steadyNow - last.steady;
        ({ seen } = classifyClock(seen, now, passed));
        last = { now, steady: steadyNow };
      }
      return dateBy(seen, now);
    },
    seen: () => seen,
    isTrusted: () => seen?.jump === undefined,
    adopt(known) {
      seen = known ?? seen;
    },
  };
}
