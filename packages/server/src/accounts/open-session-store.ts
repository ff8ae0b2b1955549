import type { AccountId } from "@sealpost/wire";
import { readMembership } from "../access/membership.ts";
import type { OpenSession } from "../access/principal.ts";
import { isSecondFactorRequired, type SecondFactor } from "../access/second-factor.ts";
import type { Plan } from "../config/config.ts";
import { isSessionOver, type SessionLimits } from "../config/session-limits.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { firstOrganization, makeOwnOrganization, parseFormIds } from "../database/membership.ts";

/** How long sessions last, and the plan of the organization of somebody who has just signed up. */
export interface SessionSettings {
  readonly limits: SessionLimits;
  readonly defaultPlan: Plan;
}

/** The person of a session that has not ended, with their membership; `undefined` also if the person is disabled. */
export async function findOpenSession(
  database: Database | DatabaseTransaction,
  { limits, defaultPlan }: SessionSettings,
  sessionId: string,
  now: number,
): Promise<OpenSession | undefined> {
  let row = await findSessionRow(database, sessionId);
  if (row === undefined || new Date(row.expires_at).getTime() <= now) return undefined;
  const createdAt = new Date(row.created_at).getTime();
  const lastUsedAt = Number(row.last_used_at);
  if (isSessionOver({ createdAt, lastUsedAt, endsAt: row.ends_at ?? undefined }, now, limits)) return undefined;
  const personId = row.person_id as AccountId; // only account ids are written there
  if (row.joined_at === null) {
    await database.transaction().execute((transaction) => makeOwnOrganization(transaction, personId, defaultPlan));
    row = (await findSessionRow(database, sessionId)) ?? row;
  }
  const { form_ids: formIds } = row;
  const secondFactor = readSecondFactor(row);
  return {
    personId,
    accountId: (row.member_of ?? row.chosen ?? personId) as AccountId, // as above
    ...readMembership(row.unproven_address === null ? row.role : null, () => parseFormIds(formIds ?? "[]")),
    awaitsProof: row.unproven_address !== null,
    authenticatedAt: row.authenticated_at,
    isVerified: row.verification !== "needed",
    secondFactor,
    lacksSecondFactor: isSecondFactorRequired(readTime(row.second_factor_from), now) && secondFactor === undefined,
    isOperator: row.operator_since !== null,
  };
}

interface FactorRow {
  readonly second_factor: string | null;
  readonly second_factor_enabled: boolean | number;
}

function readSecondFactor({ second_factor, second_factor_enabled }: FactorRow): SecondFactor | undefined {
  if (second_factor === "provider" || second_factor === "passkey") return second_factor;
  // Turning it on ended the sessions that the password alone had opened. SQLite has 0 and 1.
  return Number(second_factor_enabled) === 1 ? "app" : undefined;
}

/** A session with its person, and their membership in the organization that it acts for. */
function findSessionRow(database: Database | DatabaseTransaction, sessionId: string) {
  return (
    database
      .selectFrom("session")
      .innerJoin("person", "person.id", "session.person_id")
      // One that was chosen is never replaced by another: a person who was removed from it must switch.
      .leftJoin("member", (join) =>
        join
          .onRef("member.person_id", "=", "session.person_id")
          .on(({ eb, fn, ref }) =>
            eb("member.organization_id", "=", fn.coalesce(ref("session.organization_id"), firstOrganization)),
          ),
      )
      .leftJoin("organization", "organization.id", "member.organization_id")
      .select("organization.second_factor_from")
      .select(["session.person_id", "session.expires_at", "session.created_at", "session.authenticated_at"])
      .select("session.last_used_at")
      .select(["person.verification", "person.joined_at", "session.organization_id as chosen"])
      .select(["person.second_factor_enabled", "session.ends_at", "session.second_factor"])
      .select("person.operator_since")
      .select(["member.organization_id as member_of", "member.role", "member.form_ids", "member.unproven_address"])
      .where("session.id", "=", sessionId)
      .where("person.disabled_at", "is", null)
      // The credential may have been removed while it opened this session: its sessions had ended already, and this one ends with them.
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb("session.identity_id", "is", null),
          exists(selectFrom("identity").select("id").whereRef("identity.id", "=", "session.identity_id")),
        ]),
      )
      .where(({ or, eb, exists, selectFrom }) =>
        or([
          eb("session.passkey_id", "is", null),
          exists(selectFrom("passkey").select("id").whereRef("passkey.id", "=", "session.passkey_id")),
        ]),
      )
      .executeTakeFirst()
  );
}

/** PostgreSQL's `bigint` may come as text. */
function readTime(value: number | string | null): number | null {
  return value === null ? null : Number(value);
}
