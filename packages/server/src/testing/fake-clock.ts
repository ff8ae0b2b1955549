import type { Clock } from "../clock.ts";

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
