import { sql } from "kysely";
import type { Clock } from "../time/clock.ts";
import type { Database } from "./database.ts";

const everyMilliseconds = 60_000;

/** A clock that all processes on one PostgreSQL database share, whatever their machines' clocks say. */
export interface SharedClock extends Clock {
  /** Measures how far this machine's clock is from the database's. */
  adjust(): Promise<void>;
  /** Adjusts now, failing if that fails, and then every minute. */
  start(): Promise<void>;
  stop(): void;
}

/** This machine's clock, moved by what it differs from the database's: asking for each time would cost a round trip. */
export function createSharedClock(database: Database, own: Clock): SharedClock {
  let offset = 0;
  let timer: NodeJS.Timeout | undefined;
  async function adjust(): Promise<void> {
    const before = own.now();
    const { rows } = await sql<{ now: number }>`
      select cast(floor(extract(epoch from clock_timestamp()) * 1000) as bigint) as now`.execute(database);
    const now = rows[0]?.now;
    // It was read somewhere between the two; half of the way is as near as one can know.
    if (now !== undefined) offset = Math.round(now - (before + own.now()) / 2);
  }
  return {
    now: () => own.now() + offset,
    adjust,
    async start() {
      await adjust();
      // A failure leaves the offset as it was.
      timer = setInterval(() => void adjust().catch(() => {}), everyMilliseconds);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
