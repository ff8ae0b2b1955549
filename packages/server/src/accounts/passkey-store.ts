import { randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockPerson } from "../database/lock.ts";
import { isProven } from "../database/membership.ts";
import { useOnce } from "./single-use-store.ts";

/** More than anybody has devices. */
export const passkeysMax = 20;

/** A person's passkey, as they see it. */
export interface Passkey {
  readonly id: string;
  readonly name: string;
  readonly addedAt: number;
  /** When it last signed in or confirmed a session; `undefined` before the first time. */
  readonly usedAt: number | undefined;
}

/** The same, with what browsers and the check of a signature need. */
export interface PasskeyCredential extends Passkey {
  readonly personId: AccountId;
  /** Base64url, like all that follows. */
  readonly credentialId: string;
  readonly userHandle: string;
  readonly publicKey: string;
  readonly transports: readonly string[];
}

export interface NewPasskey
  extends Pick<PasskeyCredential, "personId" | "credentialId" | "userHandle" | "publicKey" | "transports" | "name"> {
  readonly counter: number;
  readonly addedAt: number;
}

export interface PasskeyStore {
  /** The oldest first. */
  list(personId: AccountId): Promise<readonly PasskeyCredential[]>;
  findByCredential(credentialId: string): Promise<PasskeyCredential | undefined>;
  /** `exists`: somebody here has it already; `full`: the person has as many as one may have. */
  add(transaction: DatabaseTransaction, passkey: NewPasskey): Promise<Passkey | "exists" | "full">;
  rename(transaction: DatabaseTransaction, personId: AccountId, id: string, name: string): Promise<Passkey | undefined>;
  /**
   * Ends the sessions that it opened or confirmed as well, but for one, which loses its second factor. `last`: the person needs
   * a second factor, and has no other.
   */
  remove(
    transaction: DatabaseTransaction,
    personId: AccountId,
    id: string,
    keptSession: string,
  ): Promise<Passkey | "missing" | "last">;
  /** Notes a use; false when the counter has not moved on since the one before: a copy of the passkey may have been used. */
  use(id: string, at: number, counter: number): Promise<boolean>;
  /** Notes in a session that the passkey confirmed it; false without such a passkey of the session's person. */
  confirmSession(sessionId: string, id: string): Promise<boolean>;
  findOfSession(sessionId: string): Promise<string | undefined>;
  /** Uses up a challenge; false when it was used before. */
  useChallenge(challenge: string, now: number, expiresAt: number): Promise<boolean>;
  /** Whether an organization of the person requires a second factor, now or from a date on, or the instance of its operator. */
  isFactorRequired(personId: AccountId, target?: Database | DatabaseTransaction): Promise<boolean>;
}

export function createPasskeyStore(database: Database): PasskeyStore {
  return {
    async list(personId) {
      const rows = await selectPasskey(database)
        .where("person_id", "=", personId)
        .orderBy("added_at")
        .orderBy("id")
        .execute();
      return rows.map(toPasskey);
    },
    async findByCredential(credentialId) {
      const row = await selectPasskey(database).where("credential_id", "=", credentialId).executeTakeFirst();
      return row && toPasskey(row);
    },
    async add(transaction, { personId, credentialId, userHandle, publicKey, counter, transports, name, addedAt }) {
      // The person's row makes two at once wait for each other.
      await lockPerson(transaction, personId);
      if ((await count(transaction, personId)) >= passkeysMax) return "full";
      const id = randomBytes(16).toString("hex");
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto("passkey")
        .values({
          ...{ id, name, counter },
          person_id: personId,
          credential_id: credentialId,
          user_handle: userHandle,
          public_key: publicKey,
          transports: JSON.stringify(transports),
          added_at: addedAt,
          used_at: null,
        })
        .onConflict((conflict) => conflict.column("credential_id").doNothing())
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n ? { id, name, addedAt, usedAt: undefined } : "exists";
    },
    async rename(transaction, personId, id, name) {
      const row = await transaction
        .updateTable("passkey")
        .set({ name })
        .where("id", "=", id)
        .where("person_id", "=", personId)
        .returningAll()
        .executeTakeFirst();
      return row && toPasskey(row);
    },
    async remove(transaction, personId, id, keptSession) {
      await lockPerson(transaction, personId);
      const row = await transaction
        .deleteFrom("passkey")
        .where("id", "=", id)
        .where("person_id", "=", personId)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return "missing";
      const isLast = (await count(transaction, personId)) === 0 && !(await hasApp(transaction, personId));
      if (isLast && (await isFactorRequired(transaction, personId))) return "last";
      await transaction.deleteFrom("session").where("passkey_id", "=", id).where("id", "<>", keptSession).execute();
      await transaction
        .updateTable("session")
        .set({ passkey_id: null, second_factor: null })
        .where("passkey_id", "=", id)
        .execute();
      return toPasskey(row);
    },
    async use(id, at, counter) {
      // Authenticators that do not count say 0 each time (Web Authentication, section 6.1.1).
      const { numUpdatedRows } = await database
        .updateTable("passkey")
        .set({ used_at: at, counter })
        .where("id", "=", id)
        .where("counter", counter === 0 ? "=" : "<", counter)
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async confirmSession(sessionId, id) {
      const { numUpdatedRows } = await database
        .updateTable("session")
        .set({ passkey_id: id, second_factor: "passkey" })
        .where("id", "=", sessionId)
        .where("person_id", "=", ({ selectFrom }) =>
          selectFrom("passkey").select("passkey.person_id").where("passkey.id", "=", id),
        )
        .executeTakeFirstOrThrow();
      return numUpdatedRows > 0n;
    },
    async findOfSession(sessionId) {
      const row = await database
        .selectFrom("session")
        .innerJoin("passkey", "passkey.id", "session.passkey_id")
        .select("passkey.id")
        .where("session.id", "=", sessionId)
        .executeTakeFirst();
      return row?.id;
    },
    useChallenge: (value, now, expiresAt) => useOnce(database, { kind: "passkey-challenge", value, now, expiresAt }),
    isFactorRequired: (personId, target = database) => isFactorRequired(target, personId),
  };
}

/**
 * Removes the passkeys that somebody else may have added from inside a session: all but `kept`, which the owner's own session was opened
 * or confirmed with. Returns how many were removed.
 */
export async function endPasskeys(
  transaction: DatabaseTransaction,
  personId: AccountId,
  by: Pick<NewAuditEntry, "actor" | "occurredAt">,
  kept = "",
): Promise<number> {
  const ended = await transaction
    .deleteFrom("passkey")
    .where("person_id", "=", personId)
    .where("id", "<>", kept)
    .returning("id")
    .execute();
  const ids = ended.map(({ id }) => id);
  if (ids.length === 0) return 0;
  await transaction.deleteFrom("session").where("passkey_id", "in", ids).execute();
  await recordAction(transaction, { ...by, accountId: personId, action: "passkey.removed", count: ids.length });
  return ids.length;
}

async function count(transaction: DatabaseTransaction, personId: AccountId): Promise<number> {
  const row = await transaction
    .selectFrom("passkey")
    .select(({ fn }) => fn.countAll<number>().as("count"))
    .where("person_id", "=", personId)
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

async function hasApp(transaction: DatabaseTransaction, personId: AccountId): Promise<boolean> {
  const row = await transaction
    .selectFrom("person")
    .select("second_factor_enabled")
    .where("id", "=", personId)
    .executeTakeFirst();
  return Number(row?.second_factor_enabled ?? 0) === 1; // SQLite has 0 and 1
}

async function isFactorRequired(target: Database | DatabaseTransaction, personId: AccountId): Promise<boolean> {
  const operator = await target
    .selectFrom("person")
    .select("id")
    .where("id", "=", personId)
    .where("operator_since", "is not", null)
    .executeTakeFirst();
  if (operator !== undefined) return true;
  const organization = await target
    .selectFrom("member")
    .innerJoin("organization", "organization.id", "member.organization_id")
    .select("organization.id")
    .where("member.person_id", "=", personId)
    .where(isProven("member"))
    .where("organization.second_factor_from", "is not", null)
    .executeTakeFirst();
  return organization !== undefined;
}

function selectPasskey(database: Database) {
  return database.selectFrom("passkey").selectAll();
}

type PasskeyRow = Awaited<ReturnType<ReturnType<typeof selectPasskey>["executeTakeFirstOrThrow"]>>;

function toPasskey(row: PasskeyRow): PasskeyCredential {
  return {
    ...{ id: row.id, name: row.name },
    addedAt: Number(row.added_at),
    usedAt: row.used_at === null ? undefined : Number(row.used_at),
    personId: row.person_id as AccountId, // only account ids are written there
    credentialId: row.credential_id,
    userHandle: row.user_handle,
    publicKey: row.public_key,
    transports: JSON.parse(row.transports) as readonly string[], // `add` writes a list of texts
  };
}
