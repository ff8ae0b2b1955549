import { createHash, randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { giveProvenRoles, lockProof } from "../database/membership.ts";
import { dayMilliseconds, isOpenUntil } from "../time/clock.ts";
import { endUnheardMove } from "./address-move-store.ts";

/** How long a mailed link to verify an address works. */
export const verificationMilliseconds = dayMilliseconds;

/** Whether an account is disabled, and whether its address is verified. */
export interface AccountStateStore {
  isDisabled(accountId: AccountId): Promise<boolean>;
  /** False when it was disabled already. Its sessions and pending sign-ins are ended as well. */
  disable(transaction: DatabaseTransaction, accountId: AccountId, now: number): Promise<boolean>;
  enable(transaction: DatabaseTransaction, accountId: AccountId): Promise<boolean>;
  /** Whether the address has to be verified before the account makes forms or API keys. */
  isVerificationNeeded(accountId: AccountId): Promise<boolean>;
  isVerified(accountId: AccountId): Promise<boolean>;
  /** Asks for a verified address, as above. */
  needVerification(target: Database | DatabaseTransaction, accountId: AccountId): Promise<void>;
  /** Also ends a move that was begun while the address was unverified and has no part in it. False when it was verified already. */
  markVerified(transaction: DatabaseTransaction, accountId: AccountId): Promise<boolean>;
  /** The owner of an account that never needed it was asked, and is not asked again. */
  declineVerification(transaction: DatabaseTransaction, accountId: AccountId): Promise<void>;
  /** The token for a link to verify the account's address; only its hash is kept. */
  createVerification(transaction: DatabaseTransaction, accountId: AccountId, now: number): Promise<string>;
  /** Uses up a token of the account. `unknown` when it never was, was used before or is too old. */
  useVerification(
    transaction: DatabaseTransaction,
    token: string,
    accountId: AccountId,
    now: number,
  ): Promise<"own" | "other" | "unknown">;
}

export function createAccountStateStore(database: Database): AccountStateStore {
  return {
    async isDisabled(accountId) {
      return (await find(accountId)).disabled_at !== null;
    },
    async disable(transaction, accountId, now) {
      const { numUpdatedRows } = await transaction
        .updateTable("person")
        .set({ disabled_at: now })
        .where("id", "=", accountId)
        .where("disabled_at", "is", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async enable(transaction, accountId) {
      const { numUpdatedRows } = await transaction
        .updateTable("person")
        .set({ disabled_at: null })
        .where("id", "=", accountId)
        .where("disabled_at", "is not", null)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async isVerificationNeeded(accountId) {
      return (await find(accountId)).verification === "needed";
    },
    async isVerified(accountId) {
      return Boolean((await find(accountId)).email_verified);
    },
    async needVerification(target, accountId) {
      await target.updateTable("person").set({ verification: "needed" }).where("id", "=", accountId).execute();
    },
    async markVerified(transaction, accountId) {
      await lockProof(transaction, accountId);
      // Before the person, as a move that is confirmed locks its row first.
      await endUnheardMove(transaction, accountId);
      // The two databases have no word for true in common.
      const { numUpdatedRows } = await transaction
        .updateTable("person")
        .set({ email_verified: sql`(1 = 1)`, verification: "trusted" })
        .where("id", "=", accountId)
        .where(({ eb, or }) =>
          or([eb("verification", "<>", "trusted"), eb("email_verified", "=", sql<boolean>`(1 = 0)`)]),
        )
        .executeTakeFirstOrThrow();
      await giveProvenRoles(transaction, accountId);
      return numUpdatedRows > 0n;
    },
    async declineVerification(transaction, accountId) {
      await transaction
        .updateTable("person")
        .set({ verification: "declined" })
        .where("id", "=", accountId)
        .where("verification", "=", "trusted")
        .execute();
    },
    async createVerification(transaction, accountId, now) {
      const token = randomBytes(24).toString("base64url");
      const at = new Date(now).toISOString();
      await transaction
        .insertInto("verification")
        .values({
          id: randomBytes(24).toString("base64url"),
          identifier: identifierOf(token),
          value: accountId,
          expires_at: new Date(now + verificationMilliseconds).toISOString(),
          created_at: at,
          updated_at: at,
        })
        .execute();
      return token;
    },
    async useVerification(transaction, token, accountId, now) {
      const identifier = identifierOf(token);
      const row = await transaction
        .selectFrom("verification")
        .select(["value", "expires_at"])
        .where("identifier", "=", identifier)
        .executeTakeFirst();
      if (row === undefined || !isOpenUntil(new Date(row.expires_at).getTime(), now, verificationMilliseconds))
        return "unknown";
      if (row.value !== accountId) return "other";
      await transaction.deleteFrom("verification").where("identifier", "=", identifier).execute();
      return "own";
    },
  };

  function find(accountId: AccountId) {
    return database
      .selectFrom("person")
      .select(["disabled_at", "verification", "email_verified"])
      .where("id", "=", accountId)
      .executeTakeFirstOrThrow();
  }
}

/** Anyone who reads the database, or a backup of it, must not be able to verify an address. */
function identifierOf(token: string): string {
  return `verify-email-${createHash("sha256").update(token).digest("base64url")}`;
}
