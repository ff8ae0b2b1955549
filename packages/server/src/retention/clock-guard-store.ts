import type { Database } from "../database/database.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { type ClockSeen, judgeClock } from "./clock-guard.ts";

const key = "purge_clock";
/** Looks come every minute; what is written may be as old as this. */
const writeMilliseconds = hourMilliseconds;

/** Judges the clock by what the looks before have seen, of all processes together, and over restarts. */
export async function isClockBelieved(database: Database, now: number): Promise<boolean> {
  const value = await findValue(database);
  const before = value === undefined ? undefined : parseSeen(value);
  const { seen, isBelieved } = judgeClock(before, now);
  const isOld = before === undefined || Math.abs(now - before.at) >= writeMilliseconds;
  if (isOld || before.ahead !== undefined) await write(database, value, seen);
  return isBelieved;
}

/** What was seen of the clock last; `undefined` before the first look. */
export async function findClockSeen(database: Database): Promise<ClockSeen | undefined> {
  const value = await findValue(database);
  return value === undefined ? undefined : parseSeen(value);
}

async function findValue(database: Database): Promise<string | undefined> {
  const row = await database.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

/** Of processes that look at the same time one writes. */
async function write(database: Database, before: string | undefined, seen: ClockSeen): Promise<void> {
  const value = [seen.at, seen.ahead?.since, seen.ahead?.until].filter((time) => time !== undefined).join(" ");
  if (before === undefined)
    await database
      .insertInto("instance")
      .values({ key, value })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .execute();
  else
    await database.updateTable("instance").set({ value }).where("key", "=", key).where("value", "=", before).execute();
}

/** `at`, or `at since until`. */
function parseSeen(value: string): ClockSeen | undefined {
  const [at, since, until] = value.split(" ").map(Number);
  if (at === undefined || !Number.isSafeInteger(at)) return undefined;
  return since === undefined || until === undefined ? { at } : { at, ahead: { since, until } };
}
