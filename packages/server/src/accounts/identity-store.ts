import { randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import { sql } from "kysely";
import type { NewAuditEntry } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import { challengePrefix } from "../authentication/person-sign-in.ts";
import type { Plan } from "../config/config.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockPerson } from "../database/lock.ts";
import { makeOwnOrganization } from "../database/membership.ts";
import { useOnce } from "./single-use-store.ts";

/**
 * Why a person of the provider was let in. `organization`, `operator`: by an invitation, of an organization or of an operator;
 * `link`: they were here already, and linked it from a session.
 */
export const admissions = ["open", "group", "organization", "operator", "link"] as const;
export type Admission = (typeof admissions)[number];

/** A person of an identity provider. Who they are there is the issuer and the subject, never the address. */
export interface Identity {
  readonly id: string;
  readonly personId: AccountId;
  readonly issuer: string;
  readonly name: string;
  readonly admittedBy: Admission;
  readonly linkedAt: number;
  /** The last sign-in; `undefined` before the first. */
  readonly usedAt: number | undefined;
}

export interface NewIdentity extends Pick<Identity, "personId" | "issuer" | "name" | "admittedBy" | "linkedAt"> {
  readonly subject: string;
}

export interface NewPerson {
  readonly id: AccountId;
  readonly email: string;
  readonly name: string;
  /** The plan of their organization. */
  readonly plan: Plan;
  /** Whether the provider, or the operator for it, vouches for the address. */
  readonly isVerified: boolean;
  /** A person invited to an organization gets none of their own. */
  readonly isInvited: boolean;
  readonly createdAt: number;
}

export interface IdentityStore {
  find(issuer: string, subject: string): Promise<Identity | undefined>;
  /** The oldest first. */
  list(personId: AccountId): Promise<readonly Identity[]>;
  /** `undefined` when somebody has it already, or the person has another one of the same issuer. */
  link(transaction: DatabaseTransaction, identity: NewIdentity): Promise<string | undefined>;
  /** Notes a sign-in. */
  use(id: string, now: { readonly at: number; readonly name: string }): Promise<void>;
  /** Whether the person can sign in by a password. */
  hasPassword(personId: AccountId, target?: Database | DatabaseTransaction): Promise<boolean>;
  /** Ends the sessions that it opened as well, but for one. False when the person has no such identity. */
  unlink(transaction: DatabaseTransaction, personId: AccountId, id: string, keptSession: string): Promise<boolean>;
  /** Makes an account for a person of the provider, without a password. Throws when somebody has the address. */
  createPerson(transaction: DatabaseTransaction, person: NewPerson): Promise<void>;
  /** Uses up the name of a way to the provider and back; false when it was used before. */
  useState(state: string, now: number, expiresAt: number): Promise<boolean>;
  /** The identity that opened a session. */
  findOfSession(sessionId: string): Promise<Pick<Identity, "id" | "issuer"> | undefined>;
}

export function createIdentityStore(database: Database): IdentityStore {
  return {
    async find(issuer, subject) {
      const row = await selectIdentity(database)
        .where("issuer", "=", issuer)
        .where("subject", "=", subject)
        .executeTakeFirst();
      return row && toIdentity(row);
    },
    async list(personId) {
      const rows = await selectIdentity(database)
        .where("person_id", "=", personId)
        .orderBy("linked_at")
        .orderBy("id")
        .execute();
      return rows.map(toIdentity);
    },
    async link(transaction, { personId, issuer, subject, name, admittedBy, linkedAt }) {
      // The person's row decides which of two simultaneous links is the first.
      await lockPerson(transaction, personId);
      const other = await transaction
        .selectFrom("identity")
        .select("id")
        .where("person_id", "=", personId)
        .where("issuer", "=", issuer)
        .executeTakeFirst();
      if (other !== undefined) return undefined;
      const id = randomBytes(16).toString("hex");
      const { numInsertedOrUpdatedRows } = await transaction
        .insertInto("identity")
        .values({
          ...{ id, issuer, subject, name },
          person_id: personId,
          admitted_by: admittedBy,
          linked_at: linkedAt,
          used_at: null,
        })
        .onConflict((conflict) => conflict.columns(["issuer", "subject"]).doNothing())
        .executeTakeFirstOrThrow();
      return (numInsertedOrUpdatedRows ?? 0n) > 0n ? id : undefined;
    },
    async use(id, { at, name }) {
      await database.updateTable("identity").set({ used_at: at, name }).where("id", "=", id).execute();
    },
    async hasPassword(personId, target = database) {
      const row = await target
        .selectFrom("credential")
        .select("id")
        .where("person_id", "=", personId)
        .where("password", "is not", null)
        .executeTakeFirst();
      return row !== undefined;
    },
    async unlink(transaction, personId, id, keptSession) {
      await lockPerson(transaction, personId);
      const { numDeletedRows } = await transaction
        .deleteFrom("identity")
        .where("id", "=", id)
        .where("person_id", "=", personId)
        .executeTakeFirstOrThrow();
      if (numDeletedRows === 0n) return false;
      await endSessionsBy(transaction, [id], keptSession);
      // Sign-ins by it that wait for a code.
      await transaction
        .deleteFrom("verification")
        .where("identifier", "like", `${challengePrefix(id)}%`)
        .execute();
      return true;
    },
    async createPerson(transaction, { id, email, name, plan, isVerified, isInvited, createdAt }) {
      const at = new Date(createdAt).toISOString();
      await transaction
        .insertInto("person")
        .values({
          ...{ id, email, name },
          // The two databases have no words for true and false in common.
          email_verified: isVerified ? sql<boolean>`(1 = 1)` : sql<boolean>`(1 = 0)`,
          verification: isVerified ? "trusted" : "needed",
          disabled_at: null,
          joined_at: isInvited ? createdAt : null,
          created_at: at,
          updated_at: at,
        })
        .execute();
      if (!isInvited) await makeOwnOrganization(transaction, id, plan);
    },
    useState: (value, now, expiresAt) => useOnce(database, { kind: "oidc-state", value, now, expiresAt }),
    findOfSession: (sessionId) =>
      database
        .selectFrom("session")
        .innerJoin("identity", "identity.id", "session.identity_id")
        .select(["identity.id", "identity.issuer"])
        .where("session.id", "=", sessionId)
        .executeTakeFirst(),
  };
}

/**
 * Ends the identities that were linked from inside a session, which somebody else may have done: those that the account was
 * made with stay. `all`: these too, where the account was made with an address that its maker never proved to have. How many
 * there were.
 */
export async function endLinkedIdentities(
  transaction: DatabaseTransaction,
  personId: AccountId,
  by: Pick<NewAuditEntry, "actor" | "occurredAt">,
  which: "linked" | "all" = "linked",
): Promise<number> {
  let query = transaction.deleteFrom("identity").where("person_id", "=", personId);
  if (which === "linked") query = query.where("admitted_by", "=", "link" satisfies Admission);
  const ended = await query.returning("id").execute();
  const ids = ended.map(({ id }) => id);
  await endSessionsBy(transaction, ids, by.actor.type === "session" ? by.actor.id : undefined);
  if (ended.length > 0)
    await recordAction(transaction, { ...by, accountId: personId, action: "identity.unlinked", count: ended.length });
  return ended.length;
}

/** Sessions that these identities have opened; `kept` is no longer one of them. */
async function endSessionsBy(
  transaction: DatabaseTransaction,
  ids: readonly string[],
  kept: string | undefined,
): Promise<void> {
  if (ids.length === 0) return;
  const opened = transaction.updateTable("session").set({ identity_id: null }).where("identity_id", "in", ids);
  if (kept !== undefined) await opened.where("id", "=", kept).execute();
  await transaction.deleteFrom("session").where("identity_id", "in", ids).execute();
}

function selectIdentity(database: Database) {
  return database
    .selectFrom("identity")
    .select(["id", "person_id", "issuer", "name", "admitted_by", "linked_at", "used_at"]);
}

type IdentityRow = Awaited<ReturnType<ReturnType<typeof selectIdentity>["executeTakeFirstOrThrow"]>>;

function toIdentity({ id, person_id, issuer, name, admitted_by, linked_at, used_at }: IdentityRow): Identity {
  const admittedBy = admissions.find((known) => known === admitted_by);
  if (admittedBy === undefined) throw new Error("An identity was admitted by something unknown");
  return {
    ...{ id, issuer, name, admittedBy },
    personId: person_id as AccountId, // only account ids are written there
    linkedAt: linked_at,
    usedAt: used_at ?? undefined,
  };
}
