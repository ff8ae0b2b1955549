import { type Command, InvalidArgumentError } from "commander";
import { parseTime } from "./option-values.ts";

/** Bounds of when the server received submissions, in milliseconds since the Unix epoch, both included, as the API takes them. */
export interface RangeOptions {
  readonly from?: number;
  readonly to?: number;
}

export function addRange(command: Command): Command {
  return command
    .option("--from <time>", "received at this time or later: 2026-01-31, 2026-01-31T12:00Z or milliseconds", parseTime)
    .option("--to <time>", "received before this time", parseEnd);
}

/** The last moment before a time: the API includes `to`. */
function parseEnd(text: string): number {
  const time = parseTime(text);
  if (time === 0) throw new InvalidArgumentError("It must be later than 1970-01-01.");
  return time - 1;
}

export function rangeOf({ from, to }: RangeOptions): { from?: number; to?: number } {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
