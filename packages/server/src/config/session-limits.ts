/** How long a session lasts, set by the operator. */
export interface SessionLimits {
  /** Without use. */
  readonly idleMilliseconds: number;
  /** Since it began, however much it is used; infinite: no end while somebody uses it. */
  readonly maxMilliseconds: number;
}

const minuteMilliseconds = 60_000;

/** A week without use, and no end while somebody uses it. */
export const defaultSessionLimits: SessionLimits = {
  idleMilliseconds: 7 * 24 * 60 * minuteMilliseconds,
  maxMilliseconds: Number.POSITIVE_INFINITY,
};

/** Its use is written no more often than that; a short idle limit needs it more often. */
export function noteUseEvery({ idleMilliseconds }: SessionLimits): number {
  return Math.min(5 * minuteMilliseconds, idleMilliseconds / 10);
}

export interface SessionTimes {
  readonly createdAt: number;
  readonly lastUsedAt: number;
  /** The end of one that an identity provider opened. */
  readonly endsAt?: number | undefined;
}

/**
 * Whether a limit ends the session. A time from later was written by a clock that was ahead. It ends nothing where it is ahead by less than the
 * limit; beyond, nobody would have to use the session for as long as the clock was ahead.
 */
export function isSessionOver(
  { createdAt, lastUsedAt, endsAt }: SessionTimes,
  now: number,
  limits: SessionLimits,
): boolean {
  const { idleMilliseconds, maxMilliseconds } = limits;
  if (endsAt !== undefined && endsAt <= now) return true;
  const lastsMilliseconds = Math.min(maxMilliseconds, (endsAt ?? Number.POSITIVE_INFINITY) - createdAt);
  return Math.abs(now - createdAt) > lastsMilliseconds || Math.abs(now - lastUsedAt) > idleMilliseconds;
}
