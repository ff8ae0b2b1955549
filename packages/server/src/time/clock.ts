/** Where the service reads the time: milliseconds since the Unix epoch. Tests bring their own. */
export interface Clock {
  now(): number;
}

export const hourMilliseconds = 3_600_000;
/** Every UTC day has the same length, so steps of it never skip one. */
export const dayMilliseconds = 24 * hourMilliseconds;

export const systemClock: Clock = { now: () => Date.now() };
