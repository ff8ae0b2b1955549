import type { Command } from "commander";
import { parseTime } from "./option-values.ts";

/** Which submissions, by when the server received them: milliseconds since the Unix epoch. */
export interface RangeOptions {
  readonly from?: number;
  readonly to?: number;
}

export function addRange(command: Command): Command {
  return command
    .option("--from <time>", "received at this time or later: 2026-01-31, 2026-01-31T12:00Z or milliseconds", parseTime)
    .option("--to <time>", "received before this time", parseTime);
}

export function rangeOf({ from, to }: RangeOptions): { from?: number; to?: number } {
  return { ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) };
}
