/** Where the service reads the time: milliseconds since the Unix epoch. Tests bring their own. */
export interface Clock {
  now(): number;
}

export const hourMilliseconds = 3_600_000;
/** Every UTC day has the same length, so steps of it never skip one. */
export const dayMilliseconds = 24 * hourMilliseconds;

/**
 * Clocks of machines that share a database differ by less, and a clock that is wrong by more is watched for (docs/decisions/0011-retention-of-submissions.md).
 * A time that is further ahead than any that is given now was given by a clock that was ahead, which has been set right since.
 */
export const aheadMilliseconds = hourMilliseconds;

/**
 * What was counted first while something waited for its turn is dated a moment later, and counts. A time that is later than this comes from a
 * clock that was wrong, and would count for as long.
 */
export const waitedMax = 60_000;

/** Whether a time of something past, such as that of an email, is of a clock that was ahead. */
export const isFromAhead = (at: number, now: number): boolean => at > now + aheadMilliseconds;

/** Whether something that lasts for so long has not ended, nor was given its end by a clock that was ahead. */
export const isOpenUntil = (endsAt: number, now: number, lastsMilliseconds: number): boolean =>
  endsAt > now && !isFromAhead(endsAt - lastsMilliseconds, now);

export const systemClock: Clock = { now: () => Date.now() };
