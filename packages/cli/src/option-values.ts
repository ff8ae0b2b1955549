import { parseMoment } from "@sealpost/wire";
import { InvalidArgumentError } from "commander";

/** Gathers the values of an option that may be given more than once. */
export function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** The same for values that may also have commas between them. */
export function collectList(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitList(value)];
}

/** The items of a list with commas between them. */
export function splitList(text: string): readonly string[] {
  return text.split(",").map((item) => item.trim());
}

/** Commands that open submissions with keys refuse plain ones, unless this option is given. */
export const plainOption = [
  "--plain",
  "include submissions that nobody sealed: the server could read them, and could have made them up",
] as const;

export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("It must be a whole number.");
  return Number(text);
}

/** Milliseconds, from seconds with at most three decimals: at least 0.01, at most an hour. */
export function parseSeconds(text: string): number {
  const milliseconds = /^\d{1,4}(\.\d{1,3})?$/.test(text) ? Number(text) * 1000 : Number.NaN;
  if (!(milliseconds >= 10 && milliseconds <= 3_600_000))
    throw new InvalidArgumentError("It must be seconds, from 0.01 to 3600.");
  return Math.round(milliseconds);
}

/** Milliseconds since the Unix epoch, from themselves, a day (its begin in UTC), or a time by ISO 8601 with its zone. */
export function parseTime(text: string): number {
  if (/^\d{1,15}$/.test(text) && text.length > 4) return Number(text);
  const time = parseMoment(/^\d{4}-\d\d-\d\d$/.test(text) ? `${text}T00:00Z` : text);
  if (time === undefined)
    throw new InvalidArgumentError("It must be like 2026-01-31, 2026-01-31T12:00Z or milliseconds.");
  return time;
}
