import type { AccountId } from "@sealpost/wire";
import type { Selectable } from "kysely";
import type { OrganizationTable } from "../database/account-tables.ts";
import type { Database } from "../database/database.ts";
import { isProven, parseFormIds } from "../database/membership.ts";
import { parseTexts } from "../mail/stored-texts.ts";
import type { RunPage } from "../time/page-turns.ts";

/** Rows of one statement. */
const batch = 500;

/** Times of the sign-in library's tables as milliseconds; others are that already. */
export const toTime = (value: string | Date | number | null): number | null =>
  value === null ? null : typeof value === "number" ? value : new Date(value).getTime();

/** The ids that the person had, and until when. */
export async function listFormerIds(database: Database, id: AccountId) {
  const rows = await database.selectFrom("former_person_id").selectAll().where("person_id", "=", id).execute();
  // Only ids are written there.
  return rows.map((row) => ({ id: row.id as AccountId, leftAt: Number(row.left_at) }));
}

export async function readAccount(database: Database, id: AccountId) {
  const row = await database.selectFrom("person").selectAll().where("id", "=", id).executeTakeFirstOrThrow();
  const own = await findOwn(database, id);
  const credentials = await database
    .selectFrom("credential")
    .select(["provider_id", "created_at", "updated_at"])
    .where("person_id", "=", id)
    .execute();
  const factor = await database
    .selectFrom("second_factor")
    .select(["verified", "failed_verifications", "locked_until", "enabled_at"])
    .where("person_id", "=", id)
    .executeTakeFirst();
  const formerIds = await listFormerIds(database, id);
  const refusal =
    own && (await database.selectFrom("email_opt_out").select("id").where("id", "=", id).executeTakeFirst());
  const wanted =
    own && (await database.selectFrom("mail_wanted").select("since").where("id", "=", id).executeTakeFirst());
  const storage =
    own &&
    (await database
      .selectFrom("storage_email_switch")
      .selectAll()
      .where("organization_id", "=", id)
      .executeTakeFirst());
  return {
    id,
    formerIds,
    name: row.name,
    email: row.email,
    emailVerified: Boolean(row.email_verified),
    verification: row.verification,
    plan: own?.plan ?? null,
    organizationName: own?.name ?? null,
    createdAt: toTime(row.created_at),
    updatedAt: toTime(row.updated_at),
    joinedAt: row.joined_at,
    operatorSince: row.operator_since,
    disabledAt: row.disabled_at,
    deletedAt: row.leaves_at,
    ownOrganization: own === undefined ? null : describeOwn(own),
    signsInWith: credentials.map(({ provider_id }) => provider_id),
    credentials: credentials.map(({ provider_id: kind, created_at, updated_at }) => ({
      ...{ kind, createdAt: toTime(created_at), changedAt: toTime(updated_at) },
    })),
    secondFactor:
      factor === undefined
        ? null
        : {
            isOn: Boolean(row.second_factor_enabled),
            isConfirmed: Boolean(factor.verified),
            turnedOnAt: factor.enabled_at,
            failedCodes: factor.failed_verifications,
            lockedUntil: toTime(factor.locked_until),
          },
    noticesRefused: refusal !== undefined,
    noticesWantedSince: wanted?.since ?? null,
    storageNoticesRefusedAt: storage?.refused_at ?? null,
    storageNoticesWantedSince: storage?.wanted_since ?? null,
  };
}

/** The organization with the person's id, while they own it: other owners may have lowered them. */
function findOwn(database: Database, id: AccountId) {
  return database
    .selectFrom("organization")
    .innerJoin("member", "member.organization_id", "organization.id")
    .selectAll("organization")
    .where("organization.id", "=", id)
    .where("member.person_id", "=", id)
    .where("member.role", "=", "owner")
    .where(isProven("member"))
    .executeTakeFirst();
}

function describeOwn(own: Selectable<OrganizationTable>) {
  return {
    createdAt: own.created_at,
    secondFactorFrom: own.second_factor_from,
    recoveryRequiredAt: own.recovery_required_at,
    deletedAt: own.ends_at,
  };
}

export async function readAddressMove(database: Database, id: AccountId) {
  const row = await database
    .selectFrom("address_move")
    .select(["old_email", "new_email", "created_at", "expires_at", "moved_at"])
    .where("person_id", "=", id)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { old_email: from, new_email: to, created_at: createdAt, expires_at: expiresAt, moved_at: movedAt } = row;
  return { from, to, createdAt, expiresAt, movedAt };
}

export async function readOrganizations(database: Database, id: AccountId) {
  const rows = await database
    .selectFrom("member")
    .innerJoin("organization", "organization.id", "member.organization_id")
    .selectAll("member")
    .select("organization.name")
    .where("member.person_id", "=", id)
    // Anybody could have signed up with an address that nobody has proven.
    .where(isProven("member"))
    .orderBy("member.organization_id")
    .execute();
  return rows.map(({ organization_id, name, role, form_ids, since, added_by }) => ({
    ...{ id: organization_id, name, role, forms: parseFormIds(form_ids), since, addedBy: added_by },
  }));
}

/** Their values are secrets; only hashes are stored. */
export async function readApiKeys(database: Database, id: AccountId) {
  const rows = await database.selectFrom("api_key").selectAll().where("made_by", "=", id).orderBy("id").execute();
  return rows.map((row) => ({
    id: row.id,
    organizationId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    permissions: JSON.parse(row.permissions) as unknown,
    forms: row.form_ids === null ? null : parseFormIds(row.form_ids),
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    expiryNotifiedAt: row.expiry_notified_at,
  }));
}

/**
 * To the person's address, and those that the person made: without the addresses of others. Where the person has not shown that the address
 * is theirs, those of organizations that they belong to alone.
 */
export async function readInvitations(
  database: Database,
  id: AccountId,
  { email, emailVerified }: { readonly email: string; readonly emailVerified: boolean },
) {
  const rows = await database
    .selectFrom("invitation")
    .select([
      "id",
      "organization_id",
      "email",
      "role",
      "form_ids",
      "invited_by",
      "created_at",
      "expires_at",
      "ended_at",
    ])
    .where(({ eb, or, and, selectFrom }) => {
      const own = selectFrom("member").select("organization_id").where("person_id", "=", id).where(isProven("member"));
      return or([
        and([eb("email", "=", email), ...(emailVerified ? [] : [eb("organization_id", "in", own)])]),
        eb("invited_by", "=", id),
      ]);
    })
    .orderBy("id")
    .execute();
  const toInstance = await database
    .selectFrom("instance_invitation")
    .select(["id", "email", "created_at", "expires_at", "ended_at"])
    .where(({ eb, or }) => or([...(emailVerified ? [eb("email", "=", email)] : []), eb("invited_by", "=", id)]))
    .orderBy("id")
    .execute();
  const describe = (row: (typeof toInstance)[number]) => ({
    relation: row.email === email ? "to_you" : "by_you",
    ...{ createdAt: row.created_at, expiresAt: row.expires_at, endedAt: row.ended_at },
  });
  return [
    ...rows.map((row) => ({
      id: row.id,
      organizationId: row.organization_id,
      role: row.role,
      forms: parseFormIds(row.form_ids),
      ...describe(row),
    })),
    // To the instance: to make an account.
    ...toInstance.map((row) => ({ id: row.id, organizationId: null, ...describe(row) })),
  ];
}

/**
 * Emails to the person that wait, or were sent within the last days. What they held is wiped once they are sent. Those to the owners of the
 * organization with the same id are the organization's; of an address of somebody else neither it nor its mail server's answer is shown.
 */
export async function* readEmails(database: Database, id: AccountId, email: string, runPage: RunPage) {
  for (let after = ""; ; ) {
    const rows = await runPage(() =>
      database
        .selectFrom("mail")
        .selectAll()
        .where("account_id", "=", id)
        .where("is_personal", "=", 1)
        .where("id", ">", after)
        .orderBy("id")
        .limit(batch)
        .execute(),
    );
    const ids = rows.map(({ id: mailId }) => mailId);
    const gathered =
      ids.length === 0
        ? []
        : await database.selectFrom("mail_gathered").selectAll().where("mail_id", "in", ids).execute();
    for (const row of rows) {
      const isOwn = parseTexts(row.failed_to).includes(email);
      yield {
        kind: row.kind,
        formId: row.form_id,
        createdAt: row.created_at,
        dueAt: row.due_at,
        expiresAt: row.expires_at,
        attempts: row.attempts,
        finishedAt: row.finished_at,
        failedAt: row.failed_at,
        failedTo: isOwn ? [email] : null,
        failure: isOwn ? row.failure : null,
        events: gathered.flatMap(({ mail_id, event, count }) => (mail_id === row.id ? [{ event, count }] : [])),
      };
    }
    const last = rows.at(-1);
    if (last === undefined || rows.length < batch) return;
    after = last.id;
  }
}
