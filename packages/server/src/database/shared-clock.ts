import { sql } from "kysely";
import type { Clock } from "../time/clock.ts";
import type { Database } from "./database.ts";

const everyMilliseconds = 60_000;
/** By so much the two clocks of a machine differ where one was set or the machine stood still: then the database is asked at once. */
const divergenceMilliseconds = 250;
/** While it does not answer, it is not asked for each time that is read. */
const betweenMilliseconds = 1_000;

/** A clock that all processes on one PostgreSQL database share, whatever their machines' clocks say. */
export interface SharedClock extends Clock {
  /** Measures how far this machine's clock is from the database's. */
  adjust(): Promise<void>;
  /** Adjusts now, failing if that fails, and then every minute. */
  start(): Promise<void>;
  stop(): void;
}

interface Measurement {
  /** The database's time minus `steady`. */
  readonly offset: number;
  /** This machine's time of day minus `steady`. */
  readonly divergence: number;
}

/**
 * The database's time when it was last asked, and what has passed since by `steady`, which nobody sets: asking for each time would
 * cost a round trip, and a machine's time of day may be set between two. `steady` stands still with some machines that are
 * suspended, and is late then until the database has answered: nothing is too old by a clock that is late.
 */
export function createSharedClock(database: Database, own: Clock, steady: Clock = performance): SharedClock {
  let measured: Measurement | undefined;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let quietUntil = Number.NEGATIVE_INFINITY;
  async function measure(): Promise<void> {
    const before = steady.now();
    const { rows } = await sql<{ now: number }>`
      select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint) as now`.execute(database);
    const now = rows[0]?.now;
    const after = steady.now();
    // It was read somewhere between the two; half of the way is as near as one can know.
    if (now !== undefined) measured = { offset: now - (before + after) / 2, divergence: own.now() - after };
  }
  function adjustAtOnce(): void {
    if (running !== undefined || steady.now() < quietUntil) return;
    quietUntil = steady.now() + betweenMilliseconds;
    running = measure()
      .catch(() => {})
      .finally(() => {
        running = undefined;
      });
  }
  return {
    now() {
      if (measured === undefined) return own.now();
      const steadyNow = steady.now();
      if (Math.abs(own.now() - steadyNow - measured.divergence) > divergenceMilliseconds) adjustAtOnce();
      return Math.round(steadyNow + measured.offset);
    },
    adjust: measure,
    async start() {
      await measure();
      // A failure leaves the measurement as it was.
      timer = setInterval(() => void measure().catch(() => {}), everyMilliseconds);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
