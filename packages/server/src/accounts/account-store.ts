import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config.ts";
import { plans } from "../config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";

export interface AccountStore {
  /** Throws when the database does not answer. The sign-in library takes that for nobody being signed in. */
  probe(): Promise<void>;
  count(): Promise<number>;
  /** The account behind a session that has not ended, or `undefined`. `now` is milliseconds since the Unix epoch. */
  findBySession(sessionId: string, now: number): Promise<AccountId | undefined>;
  findByEmail(email: string): Promise<AccountId | undefined>;
  endSessions(accountId: AccountId): Promise<void>;
  setPlan(accountId: AccountId, plan: Plan): Promise<void>;
  /** The account's plan. Until the transaction ends, another one that asks for it waits. */
  lockPlan(transaction: DatabaseTransaction, accountId: AccountId): Promise<Plan>;
}

export function createAccountStore(database: Database): AccountStore {
  return {
    async probe() {
      await sql`select 1`.execute(database);
    },
    async count() {
      const { count } = await database
        .selectFrom("account_holder")
        .select(({ fn }) => fn.countAll<number>().as("count"))
        .executeTakeFirstOrThrow();
      return Number(count);
    },
    async findBySession(sessionId, now) {
      const row = await database
        .selectFrom("session")
        .select(["account_id", "expires_at"])
        .where("id", "=", sessionId)
        .executeTakeFirst();
      if (row === undefined || new Date(row.expires_at).getTime() <= now) return undefined;
      return row.account_id as AccountId; // only account ids are written there
    },
    async findByEmail(email) {
      const row = await database
        .selectFrom("account_holder")
        .select("id")
        .where("email", "=", email.toLowerCase())
        .executeTakeFirst();
      return row?.id as AccountId | undefined; // only account ids are written there
    },
    async endSessions(accountId) {
      await database.deleteFrom("session").where("account_id", "=", accountId).execute();
    },
    async setPlan(accountId, plan) {
      await database.updateTable("account_holder").set({ plan }).where("id", "=", accountId).execute();
    },
    async lockPlan(transaction, accountId) {
      // A write that changes nothing locks the row on every database; SQLite has no other way to say so.
      const { plan } = await transaction
        .updateTable("account_holder")
        .set(({ ref }) => ({ plan: ref("plan") }))
        .where("id", "=", accountId)
        .returning("plan")
        .executeTakeFirstOrThrow();
      const known = plans.find((value) => value === plan);
      if (known === undefined) throw new Error("An account has an unknown plan");
      return known;
    },
  };
}
