import { hourMilliseconds } from "../time/clock.ts";
/** So long a sign-in is enough for what would outlive the session: API keys, the second factor, webhook secrets. */
export const freshMilliseconds = hourMilliseconds;
/** Clocks of machines that share a database differ. */
const clockSkewMilliseconds = 60_000;

/** A time from later was written by a clock that was wrong, and proves nothing. */
export function isFresh(authenticatedAt: number, now: number): boolean {
  return authenticatedAt <= now + clockSkewMilliseconds && now - authenticatedAt <= freshMilliseconds;
}
