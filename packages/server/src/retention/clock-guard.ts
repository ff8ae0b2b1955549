import { dayMilliseconds } from "../time/clock.ts";
/** The purge's knowledge of the clock from earlier looks. Times are milliseconds of that clock. */
export interface ClockSeen {
  /** The last look at which the clock was believed. */
  readonly at: number;
  /** While it is not: the first look after it jumped ahead, and the last one. */
  readonly ahead?: { readonly since: number; readonly until: number };
}

/** Looks come every minute; a service that stood still for longer than this is distinguished from a clock that jumped by waiting. */
const jumpMilliseconds = 7 * dayMilliseconds;
/** How long a clock that jumped must advance before it is trusted: time for its operator to hear of it. */
export const waitMilliseconds = dayMilliseconds;

/**
 * Whether the clock may say what is too old. One that is years ahead would have everything deleted, and nothing brings it
 * back; deleting a day late harms nobody. A clock that goes back is believed at once.
 */
export function classifyClock(
  seen: ClockSeen | undefined,
  now: number,
): { readonly seen: ClockSeen; readonly isTrusted: boolean } {
  if (seen === undefined || now - seen.at <= jumpMilliseconds) return { seen: { at: now }, isTrusted: true };
  const { ahead } = seen;
  const isSameJump = ahead !== undefined && now >= ahead.since && now - ahead.until <= jumpMilliseconds;
  const since = isSameJump ? ahead.since : now;
  if (now - since >= waitMilliseconds) return { seen: { at: now }, isTrusted: true };
  return { seen: { at: seen.at, ahead: { since, until: now } }, isTrusted: false };
}
