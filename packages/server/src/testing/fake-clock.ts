import type { Clock } from "../time/clock.ts";

/** A clock that stands until it is moved. */
export interface FakeClock extends Clock {
  /** Time passes; or, with a negative number, the clock is set back. */
  advance(milliseconds: number): void;
  /** The clock is set to another time, and none passes. */
  jump(milliseconds: number): void;
  /** Milliseconds that have passed. */
  readonly steady: Clock;
}

export function createFakeClock(now = Date.UTC(2026, 0, 15, 12)): FakeClock {
  let passed = 0;
  return {
    now: () => now,
    advance(milliseconds) {
      now += milliseconds;
      passed += Math.max(0, milliseconds);
    },
    jump(milliseconds) {
      now += milliseconds;
    },
    steady: { now: () => passed },
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
