import type { Clock } from "../time/clock.ts";

/** A clock that stands until it is moved. */
export interface FakeClock extends Clock {
  advance(milliseconds: number): void;
}

export function createFakeClock(now = Date.UTC(2026, 0, 15, 12)): FakeClock {
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
    },
  };
}

/** The system's clock, but that no two readings are of the same millisecond: so that what follows another is dated after it. */
export function createTickingClock(): Clock {
  let last = 0;
  return {
    now() {
      last = Math.max(Date.now(), last + 1);
      return last;
    },
  };
}
