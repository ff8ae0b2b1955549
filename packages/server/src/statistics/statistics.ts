import { dayMilliseconds } from "../time/clock.ts";

/** Days of each period, today included (contract, section 10). */
export const periodDays = { day: 1, week: 7, month: 30, year: 365 } as const;
export type Period = keyof typeof periodDays;

/** The UTC calendar days of a period that ends with the day of `now`, oldest first, as YYYY-MM-DD. */
export function listDays(period: Period, now: number): readonly string[] {
  const count = periodDays[period];
  return Array.from({ length: count }, (_, index) => toDay(now - (count - 1 - index) * dayMilliseconds));
}

/** Statistics (contract, section 10) for what was counted on those days: zeros included, the average with two decimals. */
export function summarize(days: readonly string[], countOf: ReadonlyMap<string, number>) {
  const timeline = days.map((date) => ({ date, count: countOf.get(date) ?? 0 }));
  const periodSubmissions = timeline.reduce((sum, { count }) => sum + count, 0);
  return { periodSubmissions, avgPerDay: Math.round((periodSubmissions / days.length) * 100) / 100, timeline };
}

/** The UTC calendar day of a moment, YYYY-MM-DD. */
export function toDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
