import type { AccountId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";

/**
 * The deletions of organizations and of accounts that were asked for are called off: in a database that was set back nobody knows whether
 * they still hold. Each answers whom it concerns.
 */
export async function keepOrganizations(transaction: DatabaseTransaction): Promise<readonly AccountId[]> {
  const rows = await transaction.selectFrom("organization").select("id").where("ends_at", "is not", null).execute();
  await transaction.updateTable("organization").set({ ends_at: null }).where("ends_at", "is not", null).execute();
  return rows.map(({ id }) => id as AccountId); // only ids of ours are written there
}

export async function keepPersons(transaction: DatabaseTransaction): Promise<readonly AccountId[]> {
  const rows = await transaction.selectFrom("person").select("id").where("leaves_at", "is not", null).execute();
  await transaction.updateTable("person").set({ leaves_at: null }).where("leaves_at", "is not", null).execute();
  return rows.map(({ id }) => id as AccountId); // the same
}
