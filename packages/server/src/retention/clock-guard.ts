import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";

/** Knowledge of the clock from earlier looks, of all processes together, and over restarts. Times are milliseconds of that clock. */
export interface ClockSeen {
  /** The last look at which the clock was believed. */
  readonly at: number;
  /** While it is not: the first look after it had jumped, to after `at` or to before it, and the last one. */
  readonly jump?: { readonly since: number; readonly until: number };
  /** The last look at a clock that was ahead, and was then set right: rows may be dated up to then. */
  readonly ahead?: number;
}

export interface ClockLook {
  readonly seen: ClockSeen;
  /** Whether the clock may say what is too old. */
  readonly isTrusted: boolean;
}

/** Where nobody knows what has passed since the last look, a service that stood still for longer than this is distinguished from a clock that jumped by waiting. */
const pauseMilliseconds = 7 * dayMilliseconds;
/** The same while a clock that has jumped waits to be believed: it may jump again. */
const waitingPauseMilliseconds = 6 * hourMilliseconds;
/** Clocks of machines differ, and a look is written down once an hour. */
const toleranceMilliseconds = hourMilliseconds;
/** How long a clock that jumped must advance before it is believed: time for its operator to hear of it. */
const waitMilliseconds = dayMilliseconds;

/**
 * Whether the clock may say what is too old. One that is years ahead would have everything deleted, and nothing brings it
 * back; deleting a day late harms nobody. Of a clock that went back nobody knows whether it is wrong now or was before. One that
 * goes back to where it was before it jumped is believed at once.
 *
 * `passed` is how many milliseconds have passed since `seen` by a clock that nobody sets, where that is known.
 */
export function classifyClock(seen: ClockSeen | undefined, now: number, passed?: number): ClockLook {
  if (seen === undefined) return believed(now);
  if (seen.jump !== undefined && isSameJump(seen, seen.jump, now)) {
    const jump = { since: seen.jump.since + findUnwatched(seen, seen.jump, now, passed), until: now };
    if (now >= endOfWait({ at: seen.at, jump })) return believed(now);
    return { seen: { at: seen.at, jump }, isTrusted: false };
  }
  const at = seen.at + (seen.jump === undefined ? 0 : seen.jump.until - seen.jump.since);
  const moved = now - at;
  const isAhead = moved > pauseMilliseconds || (passed !== undefined && moved - passed > toleranceMilliseconds);
  if (!isAhead && moved >= -toleranceMilliseconds) return believed(now, findAhead(seen));
  return { seen: { at: at + (passed ?? 0), jump: { since: now, until: now } }, isTrusted: false };
}

function believed(at: number, ahead?: number): ClockLook {
  return { seen: { at, ...(ahead !== undefined && ahead > at && { ahead }) }, isTrusted: true };
}

/** The same after a look. Where a clock was set back nobody knows which of its times were right, so what is dated later than it is left alone. */
function findAhead({ at, jump, ahead }: ClockSeen): number | undefined {
  if (jump === undefined) return ahead;
  return jump.since > at ? jump.until : undefined;
}

/** Whether the clock has continued from the last look after a jump, and was not set again. */
function isSameJump({ at }: ClockSeen, { since, until }: { since: number; until: number }, now: number): boolean {
  const moved = now - until;
  if (moved < -toleranceMilliseconds) return false;
  return since > at ? moved <= pauseMilliseconds : moved < (at - since) / 2;
}

/** How much of what a clock that jumped ahead has advanced since may be another jump: nobody saw it pass, so it is no part of the wait. */
function findUnwatched(
  { at }: ClockSeen,
  { since, until }: { since: number; until: number },
  now: number,
  passed: number | undefined,
): number {
  const unseen = now - until - (passed ?? 0);
  return since > at && unseen > (passed === undefined ? waitingPauseMilliseconds : toleranceMilliseconds) ? unseen : 0;
}

/** When a clock that jumped is believed, if it continues; one that was set back, at the latest when it is past what was seen before. */
export function endOfWait({ at, jump = { since: at, until: at } }: ClockSeen): number {
  return jump.since + (jump.since > at ? waitMilliseconds : Math.min(waitMilliseconds, at - jump.since));
}

/** Whether the clock has gone back, and is not believed. */
export const isSetBack = ({ at, jump }: ClockSeen): boolean => jump !== undefined && jump.since < at;

/**
 * The time by which rows are dated when the clock says `now`: where it has gone back, what was believed before and what has passed since. What
 * is dated too early is missed by those who follow a list, and deleted early when the clock is right; too late, it is kept for longer.
 */
export function dateBy({ at, jump }: ClockSeen, now: number): number {
  return jump !== undefined && jump.since < at ? Math.max(now, at + now - jump.since) : now;
}
