import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { hasActiveOwner } from "../database/membership.ts";
import { logBytesByAccount, otherBytesByAccount, otherBytesOfEach } from "./counted-bytes-store.ts";
import { bytesMaxLeast, bytesMaxOf, formShare, openShare, type QuotaLevel, roomShares } from "./quota.ts";

/** An account's stored bytes, for the operator. */
export interface ListedAccount {
  readonly accountId: AccountId;
  /** Address of the person with the organization's id; `null` if there is none. */
  readonly email: string | null;
  /** `null`: a person who has no organization of their own. */
  readonly plan: Plan | null;
  readonly isOperator: boolean;
  readonly bytes: number;
  /** `undefined`: nothing limits it. */
  readonly bytesMax: number | undefined;
}

/** A quota, and its owner's last notice about it. */
export interface QuotaState {
  readonly bytes: number;
  readonly notified: QuotaLevel;
  readonly isWanted: boolean;
}

export interface FormQuotaState extends QuotaState {
  readonly formId: FormId;
}

/** An account whose quota, or that of its log or of a form, is near its end; or whose owner was notified that it was. */
export interface NearAccount extends QuotaState {
  readonly accountId: AccountId;
  readonly bytesMax: number | undefined;
  /** The state of its audit log, as far as everybody may fill it. */
  readonly log: QuotaState;
  readonly forms: readonly FormQuotaState[];
}

/** The accounts after `after`, at most `limit`. */
export async function listAccounts(
  database: Database,
  after: string,
  limit: number,
): Promise<readonly ListedAccount[]> {
  const all = database
    .selectFrom("organization")
    .select("organization.id")
    .union(database.selectFrom("person").select("person.id"));
  const rows = await database
    .selectFrom(all.as("account"))
    .leftJoin("organization", "organization.id", "account.id")
    .leftJoin("person", "person.id", "account.id")
    .select(["account.id", "organization.plan", "person.email", "person.operator_since"])
    .where("account.id", ">", after)
    .orderBy("account.id")
    .limit(limit)
    .execute();
  const usages = await findUsages(
    database,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, plan, email, operator_since }) => ({
    accountId: id as AccountId, // written from one
    email,
    plan: plan as Plan | null, // written from one
    isOperator: operator_since !== null,
    bytes: usages.get(id)?.bytes ?? 0,
    bytesMax: usages.get(id)?.bytesMax,
  }));
}

/** The bytes that these accounts store, and may store. */
export async function findUsages(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Pick<ListedAccount, "bytes" | "bytesMax">>> {
  if (ids.length === 0) return new Map();
  const rows = await database.selectFrom("organization").select(["id", "plan"]).where("id", "in", ids).execute();
  const submissions = await database
    .selectFrom("form")
    .innerJoin("form_count", "form_count.form_id", "form.id")
    .select(["form.account_id", sql<number>`cast(sum(form_count.bytes) as bigint)`.as("bytes")])
    .where("form.account_id", "in", ids)
    .groupBy("form.account_id")
    .execute();
  const others = await otherBytesOfEach(database, ids).execute();
  const bytes = new Map<string, number>();
  for (const row of [...submissions, ...others])
    bytes.set(row.account_id, (bytes.get(row.account_id) ?? 0) + Number(row.bytes));
  return new Map(rows.map(({ id, plan }) => [id, toUsage({ id, plan, bytes: bytes.get(id) ?? 0 })]));
}

/** The smallest number of bytes of a form about which there is a notice, so nothing below it is looked at. */
const nearBytes = Math.floor(bytesMaxLeast * formShare * (openShare - 0.01));
/** The same of a log. */
const nearLogBytes = Math.floor(bytesMaxLeast * roomShares.anybody.log * (openShare - 0.01));

/**
 * Accounts of which there may be something to tell, after `after`, at most `limit`. An account that shares its room with others is as full
 * as all of them together. `defaultPlan`: the plan that everybody gets, whose room is shared.
 */
export async function listNearAccounts(
  database: Database,
  defaultPlan: Plan,
  after: string,
  limit: number,
): Promise<readonly NearAccount[]> {
  const rows = await database
    .selectFrom(selectShared(database, defaultPlan).as("account"))
    .leftJoin("quota_notice", (join) =>
      join.onRef("quota_notice.id", "=", "account.id").on("quota_notice.room", "=", "storage"),
    )
    .leftJoin("quota_notice as log_notice", (join) =>
      join.onRef("log_notice.id", "=", "account.id").on("log_notice.room", "=", "log"),
    )
    .leftJoin(logBytesByAccount.as("log"), (join) => join.onRef("log.account_id", "=", "account.id"))
    .leftJoin("email_opt_out", "email_opt_out.id", "account.id")
    // Accounts with a notice about one of their forms.
    .leftJoin(
      ({ selectFrom }) =>
        selectFrom("quota_notice as noticed")
          .innerJoin("form as noticed_form", "noticed_form.id", "noticed.id")
          .select("noticed_form.account_id")
          .distinct()
          .as("form_notified"),
      (join) => join.onRef("form_notified.account_id", "=", "account.id"),
    )
    .select(["account.id", "account.plan", "account.bytes", "log.bytes as log_bytes", "log_notice.level as log_level"])
    .select(["quota_notice.level", "email_opt_out.id as refused", hasActiveOwner("account.id").as("is_owned")])
    .where("account.id", ">", after)
    .where(({ eb, or }) =>
      or([
        eb("account.bytes", ">=", nearBytes),
        eb("log.bytes", ">=", nearLogBytes),
        eb("quota_notice.level", "is not", null),
        eb("log_notice.level", "is not", null),
        eb("form_notified.account_id", "is not", null),
      ]),
    )
    .orderBy("account.id")
    .limit(limit)
    .execute();
  const forms = await listNearForms(
    database,
    rows.map(({ id }) => id),
  );
  return rows.map((row) => {
    const isWanted = row.refused === null && Boolean(row.is_owned);
    return {
      ...{ ...toUsage(row), notified: toLevel(row.level), isWanted },
      log: { bytes: Number(row.log_bytes ?? 0), notified: toLevel(row.log_level), isWanted },
      forms: forms
        .filter((form) => form.account_id === row.id)
        .map(({ id, bytes, level, refused }) => ({
          formId: id as FormId, // written from one
          bytes,
          notified: toLevel(level),
          isWanted: isWanted && refused === null,
        })),
    };
  });
}

async function listNearForms(database: Database, accountIds: readonly string[]) {
  if (accountIds.length === 0) return [];
  return database
    .selectFrom("form")
    .innerJoin("form_count", "form_count.form_id", "form.id")
    .leftJoin("quota_notice", "quota_notice.id", "form.id")
    .leftJoin("email_opt_out", "email_opt_out.id", "form.id")
    .select(["form.id", "form.account_id", "form_count.bytes", "quota_notice.level", "email_opt_out.id as refused"])
    .where("form.account_id", "in", accountIds)
    .where(({ eb, or }) => or([eb("form_count.bytes", ">=", nearBytes), eb("quota_notice.level", "is not", null)]))
    .orderBy("form.id")
    .execute();
}

/** Submissions, and everything else: of the account itself, and of its forms. */
const sum = sql<number>`cast(coalesce(sum(form_count.bytes), 0) + coalesce(max(other.bytes), 0) as bigint)`;

function selectAccounts(database: Database) {
  return database
    .selectFrom("organization")
    .leftJoin("form", "form.account_id", "organization.id")
    .leftJoin("form_count", "form_count.form_id", "form.id")
    .leftJoin(otherBytesByAccount.as("other"), (join) => join.onRef("other.account_id", "=", "organization.id"))
    .select(["organization.id", "organization.plan", sum.as("bytes")])
    .groupBy(["organization.id", "organization.plan"]);
}

/** The same, where `bytes` are those of all accounts that share the room. */
function selectShared(database: Database, defaultPlan: Plan) {
  const room = sql`case when stored.plan <> ${defaultPlan} then stored.id
    else coalesce('for ' || stored.counts_for, stored.id) end`;
  return database
    .selectFrom(
      selectAccounts(database).select("organization.counts_for").groupBy("organization.counts_for").as("stored"),
    )
    .select(["stored.id", "stored.plan"])
    .select(sql<number>`cast(sum(stored.bytes) over (partition by ${room}) as bigint)`.as("bytes"));
}

function toUsage(row: { readonly id: string; readonly plan: string; readonly bytes: number }) {
  return {
    accountId: row.id as AccountId, // written from one
    bytes: Number(row.bytes),
    bytesMax: bytesMaxOf(row.plan as Plan), // written from one
  };
}

function toLevel(level: number | null): QuotaLevel {
  if (level === 100) return 100;
  return level === null ? 0 : 80;
}
