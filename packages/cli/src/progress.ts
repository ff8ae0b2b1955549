import type { Context } from "./context.ts";

const redrawMilliseconds = 100;
const barWidth = 30;

export interface Progress {
  /** One more is done. */
  advance(): void;
  /** Wipes the bar off the terminal. */
  end(): void;
}

/** A progress bar on the terminal, or nothing where there is none. Without a `total` it only counts. */
export function createProgress({ errors, now }: Context, total: number | undefined): Progress {
  if (!errors.isTTY) return { advance: () => undefined, end: () => undefined };
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

/** `[=====     ] 50 % (5 of 10)`, or just the count. More than `total` may come: submissions arrive meanwhile. */
export function formatProgress(done: number, total: number | undefined): string {
  if (total === undefined || total === 0) return `${done} submissions`;
  const share = Math.min(1, done / total);
  const bar = "=".repeat(Math.round(share * barWidth)).padEnd(barWidth);
  return `[${bar}] ${Math.floor(share * 100)} % (${done} of ${Math.max(done, total)})`;
}
