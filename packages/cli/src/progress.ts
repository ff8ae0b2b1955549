import type { Context } from "./context.ts";
import { counted } from "./counted.ts";

const redrawMilliseconds = 100;
/** Between lines of a log, where nothing can be drawn over: rarely enough for a job of hours, soon enough for somebody who waits. */
const lineMilliseconds = 10_000;
const barWidth = 30;

export interface Progress {
  /** One more is done. */
  advance(): void;
  /** Wipes the bar off the terminal. */
  end(): void;
}

const silence: Progress = { advance: () => undefined, end: () => undefined };

/**
 * A progress bar on the terminal; elsewhere a line every ten seconds, so that a log shows that a long run is alive and a short one
 * says nothing. Without a `total` it only counts. `isQuiet`: nothing at all.
 */
export function createProgress(context: Context, total: number | undefined, isQuiet = false): Progress {
  if (isQuiet) return silence;
  return context.errors.isTTY ? createBar(context, total) : createLines(context, total);
}

function createLines({ errors, now }: Context, total: number | undefined): Progress {
  let done = 0;
  let saidAt = now();
  return {
    advance() {
      done++;
      if (now() - saidAt < lineMilliseconds) return;
      saidAt = now();
      errors.write(`${formatCount(done, total)}\n`);
    },
    end: () => undefined,
  };
}

function createBar({ errors, now }: Context, total: number | undefined): Progress {
  let done = 0;
  let drawnAt = Number.NEGATIVE_INFINITY;
  return {
    advance() {
      done++;
      if (now() - drawnAt < redrawMilliseconds) return;
      drawnAt = now();
      errors.write(`\r${formatProgress(done, total)}\u001b[K`);
    },
    end: () => errors.write("\r\u001b[K"),
  };
}

function formatCount(done: number, total: number | undefined): string {
  return total === undefined
    ? `${counted(done, "submission")} so far`
    : `${done} of ${counted(Math.max(done, total), "submission")}`;
}

/** `[=====     ] 50 % (5 of 10)`, or just the count. More than `total` may come: submissions arrive meanwhile. */
export function formatProgress(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return counted(done, "submission");
  const share = Math.min(1, done / total);
  const bar = "=".repeat(Math.round(share * barWidth)).padEnd(barWidth);
  return `[${bar}] ${Math.floor(share * 100)} % (${done} of ${Math.max(done, total)})`;
}
