import type { Database } from "../database/database.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { type ClockSeen, classifyClock } from "./clock-guard.ts";

const key = "purge_clock";
/** Looks come every minute; what is written may be as old as this. */
const writeMilliseconds = hourMilliseconds;

/** Classifies the clock by earlier looks, of all processes together, and over restarts. */
export async function isClockTrusted(database: Database, now: number): Promise<boolean> {
  const value = await findValue(database);
  const before = value === undefined ? undefined : parseSeen(value);
  const { seen, isTrusted } = classifyClock(before, now);
  const isOld = before === undefined || Math.abs(now - before.at) >= writeMilliseconds;
  if (isOld || before.ahead !== undefined) await write(database, value, seen);
  return isTrusted;
}

/** The last look at the clock; `undefined` before the first. */
export async function findClockSeen(database: Database): Promise<ClockSeen | undefined> {
  const value = await findValue(database);
  return value === undefined ? undefined : parseSeen(value);
}

async function findValue(database: Database): Promise<string | undefined> {
  const row = await database.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

/** If several processes look at the same time, one writes. */
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
