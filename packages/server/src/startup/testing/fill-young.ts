import type { Database } from "../../database/database.ts";
import { createWorld, fillTables, type World } from "../../database/testing/fill-tables.ts";
import { dayMilliseconds as day } from "../../time/clock.ts";
import { setAheadRight } from "../ahead-rows-store.ts";

/** When every row that ends by itself has ended. */
export const later = Date.now() + 400 * day;

/** A row of each table, none of which is due today. */
export async function fillYoung(database: Database): Promise<World> {
  const [world, other] = [createWorld(), createWorld()];
  await fillTables(database, world, other);
  await fillTables(database, other, world);
  const [now, tomorrow] = [Date.now(), Date.now() + day];
  // Where their ends are further ahead than any that is given now.
  await setAheadRight(database, Date.now(), Number.MAX_SAFE_INTEGER - later);
  await database.updateTable("form_retention").set({ days: 1 }).execute();
  await database.updateTable("submission_tombstone").set({ deleted_at: now }).execute();
  await database.updateTable("audit_entry").set({ sequence: 1 }).where("account_id", "=", world.organization).execute();
  await database.updateTable("envelope").set({ removed_at: now }).execute();
  await database.updateTable("key_copy").set({ removed_at: now }).execute();
  await database.updateTable("organization").set({ ends_at: tomorrow }).execute();
  await database.updateTable("person").set({ leaves_at: tomorrow }).execute();
  return world;
}
