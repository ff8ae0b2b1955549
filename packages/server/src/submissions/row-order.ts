import { dayMilliseconds, hourMilliseconds } from "../time/clock.ts";

/** How far the times of rows may be ahead of the clock. */
export const aheadMillisecondsMax = dayMilliseconds;

/**
 * The time of a row that is stored now, in milliseconds since the Unix epoch: later than that of all that a reader of its list may
 * have seen, also where the clock of another process was ahead or the clock was set back. If the newest is further ahead than
 * `aheadMillisecondsMax`, the clock was wrong then, and the order gives way (docs/decisions/0057-order-of-receipt.md).
 */
export function nextInOrder(now: number, newest: number): number {
  return newest < now || newest - now > aheadMillisecondsMax ? now : newest + 1;
}

/** The same as SQL, of two expressions. */
export function printNextInOrder(now: string, newest: string): string {
  return `case when ${newest} < ${now} or ${newest} - ${now} > ${aheadMillisecondsMax} then ${now} else ${newest} + 1 end`;
}

/** From so far ahead on it is no difference between the clocks of two machines. */
const noticeableMilliseconds = 60_000;

/**
 * Tells by `warn`, at most once an hour, that the newest submission of a form is ahead of the clock, which was set back since it
 * came, or was wrong then.
 */
export function createWarnOfAhead({
  now,
  warn,
}: {
  readonly now: () => number;
  readonly warn: (message: string) => void;
}): (aheadMilliseconds: number) => void {
  let quietUntil = Number.NEGATIVE_INFINITY;
  return (aheadMilliseconds) => {
    if (aheadMilliseconds < noticeableMilliseconds || now() < quietUntil) return;
    quietUntil = now() + hourMilliseconds;
    const seconds = Math.ceil(aheadMilliseconds / 1000);
    const what =
      aheadMilliseconds > aheadMillisecondsMax
        ? "new ones are dated by the clock, before those that came earlier: programs that continue after the newest do not see them until the clock has passed it"
        : "new ones are dated after it, until the clock has passed it";
    warn(
      `the newest submission of a form is ${seconds} s ahead of the clock, which was set back or was wrong: ${what}`,
    );
  };
}
