import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { hasActiveOwner } from "../database/membership.ts";
import { logBytesOfEach, otherBytesOfEach } from "./counted-bytes-store.ts";
import { bytesMaxLeast, bytesMaxOf, formShare, openShare, type QuotaLevel, roomShares } from "./quota.ts";

/** An account's stored bytes, for the operator. */
export interface ListedAccount {
  readonly accountId: AccountId;
  /** Address of the person with the organization's id; `null` if there is none. */
  readonly email: string | null;
  /** `null`: a person who has no organization of their own. */
  readonly plan: Plan | null;
  readonly isOperator: boolean;
  readonly isDisabled: boolean;
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

export interface NearPage {
  readonly accounts: readonly NearAccount[];
  /** The last account that was looked at; `undefined` at the end. */
  readonly next: string | undefined;
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
    .select(["account.id", "organization.plan", "person.email", "person.operator_since", "person.disabled_at"])
    .where("account.id", ">", after)
    .orderBy("account.id")
    .limit(limit)
    .execute();
  const usages = await findUsages(
    database,
    rows.map(({ id }) => id),
  );
  return rows.map(({ id, plan, email, operator_since, disabled_at }) => ({
    accountId: id as AccountId, // written from one
    email,
    plan: plan as Plan | null, // written from one
    isOperator: operator_since !== null,
    isDisabled: disabled_at !== null,
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
  const bytes = await sumBytes(database, ids);
  return new Map(rows.map(({ id, plan }) => [id, toUsage({ id, plan, bytes: bytes.get(id) ?? 0 })]));
}

/** Submissions, and everything else: of each account itself, and of its forms. */
async function sumBytes(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
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
  return bytes;
}

/** The smallest number of bytes of a form about which there is a notice, so nothing below it is looked at. */
const nearBytes = Math.floor(bytesMaxLeast * formShare * (openShare - 0.01));
/** The same of a log. */
const nearLogBytes = Math.floor(bytesMaxLeast * roomShares.anybody.log * (openShare - 0.01));

/**
 * Accounts of which there may be something to tell, among the `limit` accounts after `after`. An account that shares its room with others
 * is as full as all of them together. `defaultPlan`: the plan that everybody gets, whose room is shared.
 */
export async function listNearAccounts(
  database: Database,
  defaultPlan: Plan,
  after: string,
  limit: number,
): Promise<NearPage> {
  const rows = await database
    .selectFrom("organization")
    .leftJoin("quota_notice", (join) =>
      join.onRef("quota_notice.id", "=", "organization.id").on("quota_notice.room", "=", "storage"),
    )
    .leftJoin("quota_notice as log_notice", (join) =>
      join.onRef("log_notice.id", "=", "organization.id").on("log_notice.room", "=", "log"),
    )
    .select(["organization.id", "organization.plan", "organization.counts_for"])
    .select(["quota_notice.level", "log_notice.level as log_level"])
    .where("organization.id", ">", after)
    .orderBy("organization.id")
    .limit(limit)
    .execute();
  if (rows.length === 0) return { accounts: [], next: undefined };
  const bytes = await sumSharedBytes(database, defaultPlan, rows);
  const ids = rows.map(({ id }) => id);
  const logBytes = new Map((await logBytesOfEach(database, ids).execute()).map((row) => [row.id, Number(row.bytes)]));
  const forms = Map.groupBy(await listNearForms(database, ids), (form) => form.account_id);
  const near = rows.filter(({ id, level, log_level }) => {
    const hasNotice = [level, log_level, ...(forms.get(id) ?? []).map((form) => form.level)].some(
      (one) => toLevel(one) > 0,
    );
    return hasNotice || (bytes.get(id) ?? 0) >= nearBytes || (logBytes.get(id) ?? 0) >= nearLogBytes;
  });
  const wanting = await listWanting(
    database,
    near.map(({ id }) => id),
  );
  const accounts = near.map(({ id, plan, level, log_level }) => {
    const isWanted = wanting.has(id);
    const ofAccount = { isWanted: wanting.get(id)?.storage === true };
    return {
      ...{ ...toUsage({ id, plan, bytes: bytes.get(id) ?? 0 }), notified: toLevel(level), ...ofAccount },
      log: { bytes: logBytes.get(id) ?? 0, notified: toLevel(log_level), ...ofAccount },
      forms: (forms.get(id) ?? []).map((form) => ({
        formId: form.id as FormId, // written from one
        bytes: form.bytes,
        notified: toLevel(form.level),
        isWanted: isWanted && form.refused === null,
      })),
    };
  });
  return { accounts, next: rows.length < limit ? undefined : rows.at(-1)?.id };
}

/** Organizations with an owner, and without an opt-out. `storage`: nor one from emails about their own full storage. */
async function listWanting(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, { readonly storage: boolean }>> {
  if (ids.length === 0) return new Map();
  const rows = await database
    .selectFrom("organization")
    .leftJoin("email_opt_out", "email_opt_out.id", "organization.id")
    .leftJoin("storage_email_switch", "storage_email_switch.organization_id", "organization.id")
    .select("storage_email_switch.refused_at")
    .select(["organization.id", "email_opt_out.id as refused", hasActiveOwner("organization.id").as("is_owned")])
    .where("organization.id", "in", ids)
    .execute();
  return new Map(
    rows.flatMap(({ id, refused, is_owned, refused_at }) =>
      refused === null && is_owned ? [[id, { storage: refused_at === null }] as const] : [],
    ),
  );
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
    .where(({ eb, or }) => or([eb("form_count.bytes", ">=", nearBytes), eb("quota_notice.level", ">", 0)]))
    .orderBy("form.id")
    .execute();
}

interface RoomOwner {
  readonly id: string;
  readonly plan: string;
  readonly counts_for: string | null;
}

/** The bytes of all accounts that share each one's room. */
async function sumSharedBytes(
  database: Database,
  defaultPlan: Plan,
  rows: readonly RoomOwner[],
): Promise<ReadonlyMap<string, number>> {
  const sharerOf = ({ plan, counts_for }: RoomOwner) => (plan === defaultPlan ? counts_for : null);
  const sharers = new Set(rows.map(sharerOf).filter((id) => id !== null));
  const sharing =
    sharers.size === 0
      ? []
      : await database
          .selectFrom("organization")
          .select(["id", "plan", "counts_for"])
          .where("counts_for", "in", [...sharers])
          .where("plan", "=", defaultPlan)
          .execute();
  const ids = new Set([...rows, ...sharing].map(({ id }) => id));
  const own = await sumBytes(database, [...ids]);
  const rooms = Map.groupBy(sharing, (row) => row.counts_for);
  return new Map(
    rows.map((row) => {
      const sharer = sharerOf(row);
      const all = (sharer === null ? undefined : rooms.get(sharer)) ?? [row];
      return [row.id, all.reduce((sum, { id }) => sum + (own.get(id) ?? 0), 0)];
    }),
  );
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
  return level === null || level === 0 ? 0 : 80;
}
