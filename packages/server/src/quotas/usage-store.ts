import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { otherBytesOf } from "./counted-bytes-store.ts";
import { bytesMaxOf } from "./quota.ts";

export interface AccountUsage {
  /** Of its submissions. */
  readonly bytes: number;
  /** Of everything else that it stores. */
  readonly otherBytes: number;
  /** The same of all organizations that share its limit, this one included. */
  readonly shared: { readonly bytes: number; readonly otherBytes: number };
  /** `undefined`: nothing limits it. */
  readonly bytesMax: number | undefined;
}

export interface FormUsage {
  readonly formId: FormId;
  readonly name: string;
  readonly bytes: number;
  readonly submissions: number;
}

export interface UsageStore {
  findAccount(accountId: string): Promise<AccountUsage>;
  findFormBytes(formId: string): Promise<number>;
  /** The account's forms that store the most, the fullest first. */
  listFullest(accountId: AccountId, limit: number): Promise<FormUsage[]>;
  /**
   * How many submissions the form received since, also of those that were deleted or moved to the bin, and when it received
   * the one that is `max` from the end.
   */
  findReceived(
    formId: string,
    since: number,
    max: number,
  ): Promise<{ readonly count: number; readonly reachedAt: number | undefined }>;
}

/** The bytes of submissions of the accounts' forms. */
function submissionBytesOf(database: Database, accountIds: readonly string[]) {
  return database
    .selectFrom("form_count")
    .select(sql<number>`cast(coalesce(sum(form_count.bytes), 0) as bigint)`.as("bytes"))
    .where("form_count.form_id", "in", ({ selectFrom }) =>
      selectFrom("form").select("form.id").where("form.account_id", "in", accountIds),
    );
}

async function countBytes(database: Database, accountIds: readonly string[]) {
  const submissions = await submissionBytesOf(database, accountIds).executeTakeFirstOrThrow();
  const other = await otherBytesOf(database, accountIds).executeTakeFirstOrThrow();
  return { bytes: Number(submissions.bytes), otherBytes: Number(other.bytes) };
}

/** The owner who has been one for longest: the person for whom what an organization stores counts. */
const firstOwner = sql<string | null>`(
  select first.person_id from member as first
  where first.organization_id = organization.id and first.role = 'owner'
  order by first.since, first.person_id limit 1)`;

/**
 * The account and, if it has the plan that everybody gets, the other organizations with that plan that count for the same person:
 * a person may store no more with fifty organizations than with one.
 */
async function listSharing(database: Database, accountId: string, defaultPlan: Plan) {
  const account = await database
    .selectFrom("organization")
    .select(["plan", firstOwner.as("owner")])
    .where("id", "=", accountId)
    .executeTakeFirst();
  const plan = account?.plan as Plan | undefined; // written from one
  if (plan !== defaultPlan) return { plan, ids: [accountId] };
  const person = account?.owner ?? accountId;
  const others = await database
    .selectFrom("member")
    .innerJoin("organization", "organization.id", "member.organization_id")
    .select("organization.id")
    .where("member.person_id", "=", person)
    .where("member.role", "=", "owner")
    .where("organization.plan", "=", plan)
    .where(firstOwner, "=", person)
    .execute();
  return { plan, ids: [...new Set([accountId, ...others.map(({ id }) => id)])] };
}

/** `defaultPlan`: the one that everybody gets. */
export function createUsageStore(database: Database, defaultPlan: Plan = "free"): UsageStore {
  return {
    async findAccount(accountId) {
      const { plan, ids } = await listSharing(database, accountId, defaultPlan);
      const own = await countBytes(database, [accountId]);
      const shared = ids.length === 1 ? own : await countBytes(database, ids);
      return { ...own, shared, bytesMax: plan && bytesMaxOf(plan) };
    },
    async findFormBytes(formId) {
      const row = await database
        .selectFrom("form_count")
        .select("bytes")
        .where("form_id", "=", formId)
        .executeTakeFirst();
      return row?.bytes ?? 0;
    },
    async listFullest(accountId, limit) {
      const rows = await database
        .selectFrom("form")
        .innerJoin("form_count", "form_count.form_id", "form.id")
        .select(["form.id", "form.name", "form_count.bytes", "form_count.stored"])
        .where("form.account_id", "=", accountId)
        .orderBy("form_count.bytes", "desc")
        .orderBy("form.id")
        .limit(limit)
        .execute();
      return rows.map(({ id, name, bytes, stored }) => ({
        formId: id as FormId, // written from one
        name,
        bytes,
        submissions: stored,
      }));
    },
    async findReceived(formId, since, max) {
      // A deleted submission has a tombstone: a flooder must not get another hour when the form's owner cleans up.
      const newest = (table: "submission" | "submission_tombstone") =>
        database
          .selectFrom(table)
          .select("received_at")
          .where("form_id", "=", formId)
          .where("received_at", ">", since)
          .orderBy("received_at", "desc")
          .limit(max);
      const all = database
        .selectFrom(newest("submission").as("stored"))
        .select("stored.received_at")
        .unionAll(database.selectFrom(newest("submission_tombstone").as("gone")).select("gone.received_at"));
      const rows = database
        .selectFrom(all.as("all_rows"))
        .select("received_at")
        .orderBy("received_at", "desc")
        .limit(max);
      const row = await database
        .selectFrom(rows.as("rows"))
        .select(({ fn }) => [fn.countAll().as("count"), fn.min("received_at").as("oldest")])
        .executeTakeFirstOrThrow();
      const count = Number(row.count);
      return { count, reachedAt: count < max || row.oldest === null ? undefined : Number(row.oldest) };
    },
  };
}
