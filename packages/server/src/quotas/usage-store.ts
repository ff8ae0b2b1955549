import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Plan } from "../config/config.ts";
import type { Database } from "../database/database.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { bytesMaxOf } from "./quota.ts";
import { submissionBytes } from "./submission-bytes.ts";

export interface AccountUsage {
  readonly bytes: number;
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
  /** Compares the count of one form with its rows, where that is due. `false`: it is due for none. */
  check(now: number): Promise<boolean>;
}

/** The quota of an account that exists at the upgrade: its fullest form, which may fill half, starts half empty. */
const grantedShare = 4;

/** The bytes of an account's forms, in one row. */
function countOf(database: Database, accountId: string) {
  return (
    database
      .selectFrom("form_count")
      .select(sql<number>`cast(coalesce(sum(form_count.bytes), 0) as bigint)`.as("bytes"))
      // 0 while a form is not counted: then what the account may store is not known either.
      .select(sql<number | null>`min(coalesce(form_count.bytes_check_at, 1))`.as("checked"))
      .where("form_count.form_id", "in", ({ selectFrom }) =>
        selectFrom("form").select("form.id").where("form.account_id", "=", accountId),
      )
  );
}

export function createUsageStore(database: Database): UsageStore {
  return {
    async findAccount(accountId) {
      const row = await database
        .selectFrom("account_holder")
        .leftJoin("account_quota", "account_quota.account_id", "account_holder.id")
        .innerJoin(countOf(database, accountId).as("counted"), (join) => join.onTrue())
        .select(["account_holder.plan", "account_quota.granted", "counted.bytes", "counted.checked"])
        .where("account_holder.id", "=", accountId)
        .executeTakeFirst();
      const plan = row?.plan as Plan | undefined; // written from one
      const isCounted = row !== undefined && (row.checked === null || Number(row.checked) !== 0);
      return {
        bytes: Number(row?.bytes ?? 0),
        bytesMax: plan !== undefined && isCounted ? bytesMaxOf(plan, row?.granted ?? 0) : undefined,
      };
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
    async check(now) {
      const due = await database
        .selectFrom("form_count")
        .select("form_id")
        .where("bytes_check_at", "<=", now)
        .limit(1)
        .executeTakeFirst();
      if (due === undefined) return false;
      await checkForm(database, due.form_id, now);
      return true;
    },
  };
}

const sumOfBytes = sql<number>`cast(coalesce(sum(${submissionBytes}), 0) as bigint)`.as("sum");

/**
 * One statement sees count and rows at one moment, and what comes and goes after it changes both alike: so the difference
 * is what nobody has counted, without a lock on either. It is checked again a day later, until there is none.
 */
async function checkForm(database: Database, formId: string, now: number): Promise<void> {
  const found = await database
    .selectFrom("form_count")
    .select(["bytes", "bytes_check_at"])
    .select(({ selectFrom }) => [
      selectFrom("submission")
        .select(sumOfBytes)
        .whereRef("submission.form_id", "=", "form_count.form_id")
        .as("stored_bytes"),
      // Submissions in the bin take as much.
      selectFrom("submission_bin")
        .select(sumOfBytes)
        .whereRef("submission_bin.form_id", "=", "form_count.form_id")
        .as("binned_bytes"),
    ])
    .where("form_id", "=", formId)
    .executeTakeFirst();
  if (found === undefined) return;
  const seen = found.bytes_check_at;
  const actual = Number(found.stored_bytes) + Number(found.binned_bytes);
  const isFirst = seen === 0;
  await database.transaction().execute(async (transaction) => {
    const { numUpdatedRows } = await transaction
      .updateTable("form_count")
      .set({
        bytes: sql`bytes + ${actual - found.bytes}`,
        bytes_check_at: !isFirst && actual === found.bytes ? null : now + dayMilliseconds,
      })
      .where("form_id", "=", formId)
      // Unless another process was faster.
      .where("bytes_check_at", "=", seen)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n || !isFirst || actual === 0) return;
    const granted = grantedShare * actual;
    await transaction
      .insertInto("account_quota")
      .columns(["account_id", "granted"])
      .expression(({ selectFrom }) =>
        selectFrom("form")
          .select(["account_id", sql<number>`cast(${granted} as bigint)`.as("granted")])
          .where("id", "=", formId),
      )
      .onConflict((conflict) =>
        conflict.column("account_id").doUpdateSet({ granted: sql`account_quota.granted + excluded.granted` }),
      )
      .execute();
  });
}
