import { createHash } from "node:crypto";
import { type AccountId, isId } from "@sealpost/wire";
import { sql } from "kysely";
import type { OpenSession } from "../access/principal.ts";
import { failedCodesMax, lockSeconds } from "../authentication/auth.ts";
import { lowerAddress } from "../authentication/email-address.ts";
import type { PasswordAccount } from "../authentication/known-browsers.ts";
import type { Plan } from "../config/config.ts";
import { plans } from "../config/config.ts";
import { defaultSessionLimits } from "../config/session-limits.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockOrganization } from "../database/lock.ts";
import { hourMilliseconds } from "../time/clock.ts";
import { findOpenSession, type SessionSettings } from "./open-session-store.ts";

/** Longer than the three windows of 30 s in which the library takes a code. */
const codeMilliseconds = 180_000;

/** Who signs in once more ends the session that began first. */
const sessionsMax = 100;

export interface AccountSession {
  readonly id: string;
  readonly accountId: AccountId;
}

export interface AccountStore {
  /** Throws when the database does not answer. The sign-in library takes that for nobody being signed in. */
  probe(): Promise<void>;
  /** Whether the instance has an account: how many does not matter, and counting them would take longer with each. */
  hasAny(): Promise<boolean>;
  /**
   * The person of a session that has not ended, with their membership, or `undefined`; also `undefined` if the person is
   * disabled. `now` is milliseconds since the Unix epoch.
   */
  findBySession(sessionId: string, now: number, transaction?: DatabaseTransaction): Promise<OpenSession | undefined>;
  /** Notes that who has the session has proved to be the owner. */
  setAuthenticatedAt(sessionId: string, at: number): Promise<void>;
  findSessionByToken(token: string): Promise<AccountSession | undefined>;
  /** The account whose code a sign-in that has begun waits for. */
  findChallenged(identifier: string): Promise<AccountId | undefined>;
  /** Whether no code of the account is taken now, because too many were wrong. */
  isLocked(accountId: AccountId, now: number): Promise<boolean>;
  hasSecondFactor(accountId: AccountId): Promise<boolean>;
  /**
   * Counts a code before it is compared, so that of any number at once no more are compared than the limit allows; the last of them locks
   * the account. False while it is locked. A lock that is over does not count, and a right code takes the count back (`unlock`).
   */
  takeTry(accountId: AccountId, now: number): Promise<boolean>;
  /** For a code that was not compared after all. */
  giveBackTry(accountId: AccountId): Promise<void>;
  /** Notes when the second factor was turned on. */
  noteSecondFactor(transaction: DatabaseTransaction, accountId: AccountId, at: number): Promise<void>;
  /** Takes the second factor away; with `since`, one alone that was turned on since then, or at an unknown time. Whether there was one. */
  removeSecondFactor(transaction: DatabaseTransaction, accountId: AccountId, since?: number): Promise<boolean>;
  /** Uses up a code of the app; `false` when it was used before. Codes are remembered for longer than they are good. */
  useCode(accountId: AccountId, code: string, now: number): Promise<boolean>;
  endSession(id: string): Promise<void>;
  /** With the stored hash, which shows whether the password was replaced; `undefined` for an account without a password. */
  findPasswordAccount(email: string): Promise<PasswordAccount | undefined>;
  /** Ends what the password before has begun, or may be replaced by: sign-ins that wait for a code, links to set a password, and moves to another address. */
  endPending(database: Database | DatabaseTransaction, accountId: AccountId): Promise<void>;
  /** Takes codes again. */
  unlock(accountId: AccountId): Promise<void>;
  findByEmail(email: string): Promise<AccountId | undefined>;
  findEmail(accountId: AccountId): Promise<string | undefined>;
  /** How many there were. The one with the token `kept` stays. */
  endSessions(database: Database | DatabaseTransaction, accountId: AccountId, kept?: string): Promise<number>;
  /** Ends the oldest sessions of an account that is about to get another one, beyond `sessionsMax`. */
  endOldest(accountId: AccountId): Promise<void>;
  /** `undefined`: there is no such organization. */
  findPlan(organizationId: AccountId): Promise<string | undefined>;
  setPlan(target: Database | DatabaseTransaction, accountId: AccountId, plan: Plan): Promise<void>;
  /** The account's plan. Until the transaction ends, another one that asks for it waits. */
  lockPlan(transaction: DatabaseTransaction, accountId: AccountId): Promise<Plan>;
}

const lockMilliseconds = lockSeconds * 1000;
/**
 * A lock that ends later than this from now was dated by a clock that was ahead, and is over. An hour more than a lock takes: codes
 * that come at once are compared at times of their own, and one that is late must not end the lock of another.
 */
const lockMillisecondsMax = lockMilliseconds + hourMilliseconds;

export function createAccountStore(database: Database, settings: Partial<SessionSettings> = {}): AccountStore {
  const { limits = defaultSessionLimits, defaultPlan = "free" } = settings;
  return {
    async probe() {
      await sql`select 1`.execute(database);
    },
    hasAny: async () => (await database.selectFrom("person").select("id").limit(1).executeTakeFirst()) !== undefined,
    findBySession: (sessionId, now, transaction) =>
      findOpenSession(transaction ?? database, { limits, defaultPlan }, sessionId, now),
    async setAuthenticatedAt(sessionId, at) {
      await database.updateTable("session").set({ authenticated_at: at }).where("id", "=", sessionId).execute();
    },
    async findSessionByToken(token) {
      const row = await database
        .selectFrom("session")
        .select(["id", "person_id"])
        .where("token", "=", token)
        .executeTakeFirst();
      return row && { id: row.id, accountId: row.person_id as AccountId }; // only account ids are written there
    },
    async findChallenged(identifier) {
      const row = await database
        .selectFrom("verification")
        .select("value")
        .where("identifier", "=", identifier)
        .executeTakeFirst();
      return isId("account", row?.value) ? row.value : undefined;
    },
    async isLocked(accountId, now) {
      const row = await database
        .selectFrom("second_factor")
        .select("locked_until")
        .where("person_id", "=", accountId)
        .executeTakeFirst();
      const until = new Date(row?.locked_until ?? 0).getTime();
      return until > now && until <= now + lockMillisecondsMax;
    },
    async hasSecondFactor(accountId) {
      const row = await database
        .selectFrom("person")
        .select("second_factor_enabled")
        .where("id", "=", accountId)
        .executeTakeFirst();
      return Number(row?.second_factor_enabled ?? 0) === 1;
    },
    takeTry: (accountId, now) =>
      database.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable("second_factor")
          .set({
            failed_verifications: sql`case when locked_until is null then coalesce(failed_verifications, 0) + 1 else 1 end`,
            locked_until: null,
          })
          .where("person_id", "=", accountId)
          .where(({ eb, or }) =>
            or([
              eb("locked_until", "is", null),
              eb("locked_until", "<=", new Date(now).toISOString()),
              eb("locked_until", ">", new Date(now + lockMillisecondsMax).toISOString()),
            ]),
          )
          .returning("failed_verifications")
          .executeTakeFirst();
        const tries = row?.failed_verifications ?? undefined;
        if (tries !== undefined && tries >= failedCodesMax)
          await transaction
            .updateTable("second_factor")
            .set({ locked_until: new Date(now + lockMilliseconds).toISOString() })
            .where("person_id", "=", accountId)
            .execute();
        return tries !== undefined;
      }),
    async giveBackTry(accountId) {
      await database
        .updateTable("second_factor")
        .set({ failed_verifications: sql`failed_verifications - 1`, locked_until: null })
        .where("person_id", "=", accountId)
        .where("failed_verifications", ">", 0)
        .where("failed_verifications", "<=", failedCodesMax)
        .execute();
    },
    async noteSecondFactor(transaction, accountId, at) {
      await transaction
        .updateTable("second_factor")
        .set({ enabled_at: at })
        .where("person_id", "=", accountId)
        .execute();
    },
    async removeSecondFactor(transaction, accountId, since) {
      const factor = transaction.selectFrom("second_factor").select("enabled_at").where("person_id", "=", accountId);
      if (since !== undefined && ((await factor.executeTakeFirst())?.enabled_at ?? since) < since) return false;
      // The two databases have no word for false in common.
      await transaction
        .updateTable("person")
        .set({ second_factor_enabled: sql`(1 = 0)` })
        .where("id", "=", accountId)
        .execute();
      const { numDeletedRows } = await transaction
        .deleteFrom("second_factor")
        .where("person_id", "=", accountId)
        .executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
    },
    async useCode(accountId, code, now) {
      const factor = database.selectFrom("second_factor").select("id").where("person_id", "=", accountId);
      // Its row's id stays when the person gets another one: the code stays used.
      const factorId = (await factor.executeTakeFirst())?.id ?? accountId;
      const id = createHash("sha256").update(`used-code/${factorId}/${code}`).digest("base64url");
      const at = new Date(now).toISOString();
      const expiresAt = new Date(now + codeMilliseconds).toISOString();
      // The key of the row decides which of two simultaneous uses is the first.
      const { numInsertedOrUpdatedRows } = await database
        .insertInto("verification")
        .values({ id, identifier: id, value: accountId, expires_at: expiresAt, created_at: at, updated_at: at })
        .onConflict((conflict) =>
          conflict
            .column("id")
            .doUpdateSet({ expires_at: expiresAt, updated_at: at })
            .where("verification.expires_at", "<=", sql<string>`${at}`),
        )
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n;
    },
    async endSession(id) {
      await database.deleteFrom("session").where("id", "=", id).execute();
    },
    async findPasswordAccount(email) {
      const row = await database
        .selectFrom("person")
        .innerJoin("credential", "credential.person_id", "person.id")
        .select(["person.id", "credential.id as credential_id", "credential.password"])
        .where("email", "=", lowerAddress(email))
        .where("credential.password", "is not", null)
        .executeTakeFirst();
      // Only account ids are written there.
      return row?.password == null
        ? undefined
        : { id: row.id as AccountId, credentialId: row.credential_id, passwordHash: row.password };
    },
    async endPending(target, accountId) {
      await target
        .deleteFrom("verification")
        .where("value", "=", accountId)
        // Codes that were used stay used.
        .whereRef("id", "<>", "identifier")
        .execute();
      // A move to another address that waits; one that was made can still be undone.
      await target
        .deleteFrom("address_move")
        .where("person_id", "=", accountId)
        .where("moved_at", "is", null)
        .execute();
    },
    async unlock(accountId) {
      await database
        .updateTable("second_factor")
        .set({ failed_verifications: 0, locked_until: null })
        .where("person_id", "=", accountId)
        .execute();
    },
    async findByEmail(email) {
      const row = await database
        .selectFrom("person")
        .select("id")
        .where("email", "=", lowerAddress(email))
        .executeTakeFirst();
      return row?.id as AccountId | undefined; // only account ids are written there
    },
    async findEmail(accountId) {
      const row = await database.selectFrom("person").select("email").where("id", "=", accountId).executeTakeFirst();
      return row?.email;
    },
    async endSessions(target, accountId, kept = "") {
      const { numDeletedRows } = await target
        .deleteFrom("session")
        .where("person_id", "=", accountId)
        .where("token", "<>", kept)
        .executeTakeFirstOrThrow();
      return Number(numDeletedRows);
    },
    async endOldest(accountId) {
      await database
        .deleteFrom("session")
        .where("person_id", "=", accountId)
        .where("id", "not in", ({ selectFrom }) =>
          selectFrom("session as newest")
            .select("newest.id")
            .where("newest.person_id", "=", accountId)
            .orderBy("newest.created_at", "desc")
            .orderBy("newest.id", "desc")
            .limit(sessionsMax - 1),
        )
        .execute();
    },
    async findPlan(organizationId) {
      const row = await database
        .selectFrom("organization")
        .select("plan")
        .where("id", "=", organizationId)
        .executeTakeFirst();
      return row?.plan;
    },
    async setPlan(target, accountId, plan) {
      await target.updateTable("organization").set({ plan }).where("id", "=", accountId).execute();
    },
    async lockPlan(transaction, accountId) {
      const row = await lockOrganization(transaction, accountId);
      const known = plans.find((value) => value === row?.plan);
      if (known === undefined) throw new Error("An organization has an unknown plan");
      return known;
    },
  };
}
