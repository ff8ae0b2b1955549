import { sql } from "kysely";
import { graceMilliseconds } from "../account-life/account-life.ts";
import { verificationMilliseconds } from "../accounts/account-state-store.ts";
import { confirmMilliseconds } from "../accounts/address-move-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { reservationMilliseconds } from "../forms/form-reservation-store.ts";
import { deviceRequestMilliseconds } from "../personal-keys/device-request.ts";
import { aheadMilliseconds } from "../time/clock.ts";

/** How far ahead of now a time is at most when it is written; 0: it is the time of something past. */
type Lasts = number;

/**
 * Times that a clock which was ahead has written, and that would keep something open, or from being done again, until the clock has passed them.
 * Once it is trusted they become those of now: nobody knows how long ago they were written.
 */
const columns: Readonly<Record<string, Readonly<Record<string, Lasts>>>> = {
  address_move: { moved_at: 0, created_at: 0, expires_at: confirmMilliseconds },
  undone_move: { undone_at: 0, begun_at: 0 },
  member_change: { changed_at: 0 },
  key_copy: { removed_at: 0 },
  former_key: { replaced_at: 0 },
  form_reservation: { expires_at: reservationMilliseconds },
  device_request: { expires_at: deviceRequestMilliseconds },
  organization: { ends_at: graceMilliseconds },
  person: { leaves_at: graceMilliseconds },
};

/** By `table.column`. */
export const aheadColumns = Object.entries(columns).flatMap(([table, of]) =>
  Object.entries(of).map(([column, lasts]) => ({ table, column, lasts })),
);

/**
 * Asked with a trusted clock alone. `ahead`: the last moment of a clock that was ahead, where there was one that is right now. False where
 * there was no such time.
 */
export async function setAheadRight(database: Database, now: number, ahead: number | undefined): Promise<boolean> {
  if (ahead === undefined) return false;
  const { isAny } = await database.transaction().execute((transaction) => dateAgain(transaction, now, ahead));
  return (await removeAheadLinks(database, now)) || isAny;
}

/** All or none: times of one act are compared with each other. */
async function dateAgain(transaction: DatabaseTransaction, now: number, ahead: number) {
  let isAny = false;
  for (const { table, column, lasts } of aheadColumns) {
    const name = sql.ref(column);
    // A part of a key: its moments stay apart. All others fall together, so none comes before another that it followed.
    const apart = column === "undone_at" ? sql` + ${name} % 60000` : sql``;
    const { numAffectedRows = 0n } = await sql`update ${sql.table(table)}
      set ${name} = ${sql.lit(now + lasts)}${apart}
      where ${name} > ${sql.lit(now + lasts + aheadMilliseconds)}
      and ${name} <= ${sql.lit(ahead + lasts + aheadMilliseconds)}`.execute(transaction);
    if (numAffectedRows > 0n) isAny = true;
  }
  return { isAny };
}

/** Links and sign-ins that wait for a code, which the sign-in library would take until then. No value of its table lasts for longer. */
async function removeAheadLinks(database: Database, now: number): Promise<boolean> {
  const latest = new Date(now + verificationMilliseconds + aheadMilliseconds).toISOString();
  const { numDeletedRows } = await database
    .deleteFrom("verification")
    .where("expires_at", ">", latest)
    // Codes that were used stay used.
    .whereRef("id", "<>", "identifier")
    .executeTakeFirstOrThrow();
  return numDeletedRows > 0n;
}
