import type { Database } from "../database/database.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { type ClockSeen, classifyClock, endOfWait, isSetBack } from "./clock-guard.ts";
import type { GuardedClock } from "./guarded-clock.ts";

const key = "purge_clock";
/** Looks come every minute; what is written may be as old as this. */
const writeMilliseconds = hourMilliseconds;

/** Classifies the clock by earlier looks, of all processes together, and over restarts; `clock` is where `now` was read. */
export async function isClockTrusted(database: Database, now: number, clock?: GuardedClock): Promise<boolean> {
  // From the same moment as `now`: while the database is asked, the clock may be read again, much later where the machine sleeps meanwhile.
  const own = clock?.seen();
  const value = await findValue(database);
  const stored = value === undefined ? undefined : parseSeen(value);
  // While it is set back, `now` is no time of the clock itself, which has been classified when it was read.
  if (own !== undefined && isSetBack(own)) {
    await write(database, value, own);
    return false;
  }
  const before = stored?.jump === undefined ? (own ?? stored) : stored;
  const { seen, isTrusted } = classifyClock(before, now);
  const isOld = stored === undefined || Math.abs(now - stored.at) >= writeMilliseconds;
  if (isOld || stored.jump !== undefined || seen.jump !== undefined || stored.ahead !== seen.ahead)
    await write(database, value, seen);
  if (clock?.seen() === own) clock?.adopt(seen);
  return isTrusted;
}

/** The last look at the clock; `undefined` before the first. */
export async function findClockSeen(database: Database): Promise<ClockSeen | undefined> {
  const value = await findValue(database);
  return value === undefined ? undefined : parseSeen(value);
}

/** For how many milliseconds a clock that is not trusted has to continue before it is, as of the last look, which is a minute old at most; 0 for one that is. */
export async function findClockWait(database: Database): Promise<number> {
  const seen = await findClockSeen(database);
  return seen?.jump === undefined ? 0 : Math.max(0, endOfWait(seen) - seen.jump.until);
}

async function findValue(database: Database): Promise<string | undefined> {
  const row = await database.selectFrom("instance").select("value").where("key", "=", key).executeTakeFirst();
  return row?.value;
}

/** If several processes look at the same time, one writes. */
async function write(database: Database, before: string | undefined, seen: ClockSeen): Promise<void> {
  const value = [seen.at, seen.jump?.since, seen.jump?.until, seen.ahead]
    .filter((time) => time !== undefined)
    .join(" ");
  if (before === undefined)
    await database
      .insertInto("instance")
      .values({ key, value })
      .onConflict((conflict) => conflict.column("key").doNothing())
      .execute();
  else
    await database.updateTable("instance").set({ value }).where("key", "=", key).where("value", "=", before).execute();
}

/** `at`, `at ahead`, or `at since until`. */
function parseSeen(value: string): ClockSeen | undefined {
  const [at, since, until] = value.split(" ").map(Number);
  if (at === undefined || !Number.isSafeInteger(at)) return undefined;
  if (since === undefined) return { at };
  return until === undefined ? { at, ahead: since } : { at, jump: { since, until } };
}
