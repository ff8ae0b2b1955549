/** Where the service reads the time: milliseconds since the Unix epoch. Tests bring their own. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
