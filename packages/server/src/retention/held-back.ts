import type { AccountId } from "@sealpost/wire";
import { dayMilliseconds, isOpenUntil } from "../time/clock.ts";

/** Deletions whose order a restore has ended: their owners hear of it. */
export interface CalledOff {
  readonly organizations: readonly AccountId[];
  readonly persons: readonly AccountId[];
}

/**
 * A database was set back to an earlier moment. Legal holds, longer retention and everything else that would have kept what is too old
 * may have been set since then, and is gone: so nothing is deleted for its age until owners had time to say so again.
 */
export interface HeldBack {
  /** The moment to which the database was set back, in milliseconds since the Unix epoch. */
  readonly since: number;
  readonly days: number;
  /** Until then, in milliseconds; `undefined` before a service has begun the wait. */
  readonly until: number | undefined;
  readonly calledOff: CalledOff;
}

/** Time for an operator who restores at night, and for owners who get an email on a Friday and are away over the weekend. */
export const heldBackDays = 7;
export const heldBackDaysMax = 365;

export const noneCalledOff: CalledOff = { organizations: [], persons: [] };

/** The same once the wait has begun: from the first look of a service, so that a restore which is served weeks later waits as long. */
export function begin(held: HeldBack, now: number): HeldBack & { readonly until: number } {
  return { ...held, until: now + held.days * dayMilliseconds };
}

/** Whether the wait has begun, and not by a clock that was ahead: it would last for as much longer. */
export const hasBegun = ({ days, until }: Pick<HeldBack, "days" | "until">, now: number): boolean =>
  until !== undefined && isOpenUntil(until, now, days * dayMilliseconds);

export const isOver = ({ until }: Pick<HeldBack, "until">, now: number): boolean => until !== undefined && until <= now;

/** When the wait ends, as part of a sentence. */
export const describeEnd = ({ days, until }: Pick<HeldBack, "days" | "until">): string =>
  until === undefined ? `${days} days after the service starts` : new Date(until).toISOString();
