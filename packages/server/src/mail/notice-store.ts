import { type AccountId, type FormId, isId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { isOneOf } from "../database/insert-rows.ts";
import { holdForms } from "../database/lock.ts";
import type { SecretBox } from "../secret-box.ts";
import {
  dayMilliseconds,
  decideMails,
  type FormState,
  firstTold,
  type Instant,
  type MailKind,
  type MailSubject,
  type Told,
} from "./mail.ts";
import { insertMails } from "./mail-store.ts";

/** What owners are told about their forms, and whether they want to be. */
export interface NoticeStore {
  /**
   * Compares forms with what their owners were told, puts the mails that are due into the queue, and notes that they were
   * told, for the next forms behind `after`. Returns the last form that it looked at; `undefined` at the end.
   */
  look(after: string, now: Instant): Promise<string | undefined>;
  /** Whether the owner wants mails about the form; `undefined` when the account has no such form. */
  isWanted(accountId: AccountId, formId: string): Promise<boolean | undefined>;
  /** False when the account has no such form. What came while no mails were wanted is not told later. */
  setWanted(accountId: AccountId, formId: string, isWanted: boolean): Promise<boolean>;
  /** The same for all forms of the account at once. A form's own switch counts beside it. */
  isAccountWanted(accountId: AccountId): Promise<boolean>;
  setAccountWanted(accountId: AccountId, isWanted: boolean): Promise<void>;
}

/** Bounds what one statement reads and one look holds in memory. */
const batch = 200;

export function createNoticeStore(database: Database, secretBox: SecretBox): NoticeStore {
  let since: Instant | undefined;
  return {
    async look(after, now) {
      since ??= await loadBeginning(database, now);
      const mailsSince = since;
      const rows = await listChanged(database, after, now);
      for (const { form, told, isNew } of rows) {
        const known = told ?? firstTold(form, mailsSince);
        // Most of what is listed again and again is waiting for its hour.
        if (!isNew && decideMails(form, known, [], now).mails.length === 0) continue;
        await database.transaction().execute((transaction) => tell(transaction, form, known, isNew, now));
      }
      return rows.length < batch ? undefined : rows.at(-1)?.form.formId;
    },
    async isWanted(accountId, formId) {
      if (!isId("form", formId)) return undefined;
      const row = await database
        .selectFrom("form")
        .leftJoin("mail_refusal", "mail_refusal.id", "form.id")
        .select("mail_refusal.id")
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      return row && row.id === null;
    },
    async setWanted(accountId, formId, isWanted) {
      if (!isId("form", formId)) return false;
      return database.transaction().execute(async (transaction) => {
        await holdForms(transaction, [formId], "mine");
        const form = await transaction
          .selectFrom("form")
          .select("id")
          .where("account_id", "=", accountId)
          .where("id", "=", formId)
          .executeTakeFirst();
        if (form === undefined) return false;
        await switchMails(transaction, formId, isWanted, [formId]);
        return true;
      });
    },
    async isAccountWanted(accountId) {
      const row = await database.selectFrom("mail_refusal").select("id").where("id", "=", accountId).executeTakeFirst();
      return row === undefined;
    },
    async setAccountWanted(accountId, isWanted) {
      await database.transaction().execute(async (transaction) => {
        const forms = await transaction.selectFrom("form").select("id").where("account_id", "=", accountId).execute();
        await switchMails(
          transaction,
          accountId,
          isWanted,
          forms.map(({ id }) => id),
        );
      });
    },
  };

  async function tell(
    transaction: DatabaseTransaction,
    form: FormState,
    known: Told,
    isNew: boolean,
    now: Instant,
  ): Promise<void> {
    const { formId } = form;
    await holdForms(transaction, [formId], "exists");
    const pending = await listPending(transaction, formId);
    const { mails, told } = decideMails(form, known, pending, now);
    if (!(await note(transaction, formId, known, told, isNew))) return;
    await insertMails(transaction, form.accountId, mails, now, secretBox);
  }
}

/** Writes the switch of a form or an account, and what follows for the forms that it is about. */
async function switchMails(
  transaction: DatabaseTransaction,
  id: string,
  isWanted: boolean,
  formIds: readonly string[],
): Promise<void> {
  if (!isWanted) {
    await transaction
      .insertInto("mail_refusal")
      .values({ id })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
    await transaction
      .deleteFrom("mail")
      .where(isOneOf(transaction, "form_id", formIds))
      .where("kind", "in", ["submissions", "webhook_failing"])
      .where("claim_token", "is", null)
      .execute();
    return;
  }
  const ended = await transaction.deleteFrom("mail_refusal").where("id", "=", id).executeTakeFirst();
  if (ended.numDeletedRows === 0n) return;
  await transaction
    .updateTable("form_notice")
    .set(({ selectFrom, fn }) => ({
      received: fn.coalesce(
        selectFrom("form_count")
          .select("form_count.received")
          .whereRef("form_count.form_id", "=", "form_notice.form_id"),
        "form_notice.received",
      ),
    }))
    .where(isOneOf(transaction, "form_id", formIds))
    .execute();
}

/** False when another process told it meanwhile. */
async function note(
  transaction: DatabaseTransaction,
  formId: FormId,
  known: Told,
  told: Told,
  isNew: boolean,
): Promise<boolean> {
  if (isNew) {
    const written = await transaction
      .insertInto("form_notice")
      .values({ form_id: formId, ...toColumns(told) })
      .onConflict((conflict) => conflict.column("form_id").doNothing())
      .returning("form_id")
      .executeTakeFirst();
    return written !== undefined;
  }
  const { received, key_version, next_at, failing_since } = toColumns(known);
  const updated = await transaction
    .updateTable("form_notice")
    .set(toColumns(told))
    .where("form_id", "=", formId)
    .where("received", "=", received)
    .where("key_version", "=", key_version)
    .where("next_at", "=", next_at)
    .where("failing_since", failing_since === null ? "is" : "=", failing_since)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

function toColumns({ received, keyVersion, failingSince, nextAt }: Told) {
  return { received, key_version: keyVersion, failing_since: failingSince, next_at: nextAt };
}

async function listPending(transaction: DatabaseTransaction, formId: FormId): Promise<MailKind[]> {
  const rows = await transaction
    .selectFrom("mail")
    .select("kind")
    .where("form_id", "=", formId)
    .where("finished_at", "is", null)
    .execute();
  return rows.map(({ kind }) => kind as MailSubject["kind"]); // written from one
}

interface Changed {
  readonly form: FormState;
  readonly told: Told | undefined;
  readonly isNew: boolean;
}

/** Forms of which there may be something to tell. All that is compared are counters: no submission is read. */
async function listChanged(database: Database, after: string, now: Instant): Promise<readonly Changed[]> {
  const rows = await database
    .selectFrom("form")
    .innerJoin("form_count", "form_count.form_id", "form.id")
    .leftJoin("webhook", "webhook.form_id", "form.id")
    .leftJoin("form_notice", "form_notice.form_id", "form.id")
    .leftJoin("mail_refusal as form_refusal", "form_refusal.id", "form.id")
    .leftJoin("mail_refusal as account_refusal", "account_refusal.id", "form.account_id")
    .select(["form.id", "form.account_id", "form.created_at", "form.key_version", "form_count.received"])
    .select(["webhook.failing_since", "form_refusal.id as form_refused", "account_refusal.id as account_refused"])
    .select(["form_notice.received as told_received", "form_notice.key_version as told_key_version"])
    .select(["form_notice.failing_since as told_failing_since", "form_notice.next_at"])
    .where("form.id", ">", after)
    .where(({ eb, and, or, ref }) =>
      or([
        eb("form_notice.form_id", "is", null),
        eb("form_notice.key_version", "<>", ref("form.key_version")),
        and([
          eb("form_refusal.id", "is", null),
          eb("account_refusal.id", "is", null),
          or([
            and([eb("form_notice.received", "<", ref("form_count.received")), eb("form_notice.next_at", "<=", now)]),
            and([
              eb("webhook.url", "is not", null),
              eb("webhook.failing_since", "<=", now - dayMilliseconds),
              or([
                eb("form_notice.failing_since", "is", null),
                eb("form_notice.failing_since", "<>", ref("webhook.failing_since")),
              ]),
            ]),
          ]),
        ]),
      ]),
    )
    .orderBy("form.id")
    .limit(batch)
    .execute();
  return rows.map((row): Changed => {
    const { told_received: received, told_key_version: keyVersion, next_at: nextAt } = row;
    const isNew = received === null || keyVersion === null || nextAt === null;
    return {
      form: {
        formId: row.id as FormId, // written from one
        accountId: row.account_id as AccountId, // written from one
        createdAt: row.created_at,
        received: row.received,
        keyVersion: row.key_version,
        failingSince: row.failing_since,
        isWanted: row.form_refused === null && row.account_refused === null,
      },
      told: isNew ? undefined : { received, keyVersion, nextAt, failingSince: row.told_failing_since },
      isNew,
    };
  });
}

/** When this instance first had mails: what happened before is not told. */
async function loadBeginning(database: Database, now: Instant): Promise<Instant> {
  await database
    .insertInto("instance")
    .values({ key: "mails_since", value: String(now) })
    .onConflict((conflict) => conflict.column("key").doNothing())
    .execute();
  const { value } = await database
    .selectFrom("instance")
    .select("value")
    .where("key", "=", "mails_since")
    .executeTakeFirstOrThrow();
  return Number(value);
}
