import type { AccountId, FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { FailedRows } from "../database/failed-rows.ts";
import { lockForm, lockOrganization } from "../database/lock.ts";
import { hasActiveOwner } from "../database/membership.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { dayMilliseconds, isFromAhead } from "../time/clock.ts";
import { decideEmails, type FormState, firstNotified, type Notified, quietMilliseconds } from "./form-emails.ts";
import { insertEmails } from "./insert-emails-store.ts";
import type { Instant, MailKind, MailSubject, NoticeKind } from "./mail.ts";
import { loadInstant } from "./mail-switch-store.ts";
import { listFullKinds } from "./notice-share-store.ts";
import { isHeldBack, listGivenUp } from "./notified-marks-store.ts";

/** Notices to owners about their forms. */
export interface NoticeStore {
  /**
   * Compares forms with the last notices to their owners, puts the emails that are due into the queue, and records the
   * notices, for the next forms after `after`. Returns the last form that it looked at; `undefined` at the end. Those of which it fails
   * keep no others waiting, and are added to `failed`.
   */
  look(after: string, now: Instant, failed: FailedRows): Promise<string | undefined>;
}

/** Forms of one look. Bounds what one statement reads and one look holds in memory. */
const batch = 200;

export function createNoticeStore(database: Database, secretBox: SecretBox): NoticeStore {
  let since: Instant | undefined;
  return {
    async look(after, now, failed) {
      // When this instance first sent emails: earlier events are not announced.
      if (since === undefined || isFromAhead(since, now)) since = await loadInstant(database, "emails_since", now);
      const emailsSince = since;
      const ids = await listForms(database, after);
      const rows = await listChanged(database, ids, now);
      const full = await listFullKinds(
        database,
        rows.map(({ form }) => form.accountId),
        now,
      );
      const looked = rows.map(({ form, notified, isNew }) => {
        const known = notified ?? firstNotified(form, emailsSince);
        const fullKinds = [...(full.get(form.accountId) ?? [])];
        return { form, known, isNew, sendsEmail: decideEmails(form, known, fullKinds, now).emails.length > 0 };
      });
      // One statement for all that have nothing to announce: when email is set up, that is every form there is.
      const quiet = looked.filter(({ isNew, sendsEmail }) => isNew && !sendsEmail);
      if (quiet.length > 0)
        await database
          .insertInto("form_notice")
          .values(quiet.map(({ form, known }) => ({ form_id: form.formId, ...toColumns(known) })))
          .onConflict((conflict) => conflict.column("form_id").doNothing())
          .execute();
      for (const { form, known, isNew, sendsEmail } of looked)
        if (sendsEmail)
          await database
            .transaction()
            .execute((transaction) => tell(transaction, form, known, isNew, now))
            .catch((error) => failed.add(form.formId, error));
      return ids.length < batch ? undefined : ids.at(-1);
    },
  };

  async function tell(
    transaction: DatabaseTransaction,
    form: FormState,
    known: Notified,
    isNew: boolean,
    now: Instant,
  ): Promise<void> {
    const { formId } = form;
    await lockForm(transaction, formId, "keep");
    const pending = await listPending(transaction, formId);
    const full = await lockFullKinds(transaction, form.accountId, now);
    const waiting = [...pending, ...full];
    const givenUp = await listGivenUp(transaction, { formId }, now);
    const heldBack = decideEmails(form, known, waiting, now).emails.filter((email) =>
      isHeldBack(email, givenUp, secretBox),
    );
    const { emails, notified } = decideEmails(form, known, [...waiting, ...heldBack.map(({ kind }) => kind)], now);
    if (emails.length === 0 || !(await note(transaction, formId, known, notified, isNew))) return;
    await insertEmails(transaction, form.accountId, emails, now, secretBox);
  }
}

/** The kinds of which the organization has had the notices of the day. Until the transaction ends, another one that asks for them waits. */
export async function lockFullKinds(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  now: Instant,
): Promise<ReadonlySet<NoticeKind>> {
  await lockOrganization(transaction, accountId);
  return (await listFullKinds(transaction, [accountId], now)).get(accountId) ?? new Set();
}

/** False when another process announced it meanwhile. */
async function note(
  transaction: DatabaseTransaction,
  formId: FormId,
  known: Notified,
  notified: Notified,
  isNew: boolean,
): Promise<boolean> {
  if (isNew) {
    const written = await transaction
      .insertInto("form_notice")
      .values({ form_id: formId, ...toColumns(notified) })
      .onConflict((conflict) => conflict.column("form_id").doNothing())
      .returning("form_id")
      .executeTakeFirst();
    return written !== undefined;
  }
  const { received, next_at, failing_since, unproved_version } = toColumns(known);
  const updated = await transaction
    .updateTable("form_notice")
    .set(toColumns(notified))
    .where("form_id", "=", formId)
    .where("received", "=", received)
    .where("unproved_version", "=", unproved_version)
    .where("next_at", "=", next_at)
    .where("failing_since", failing_since === null ? "is" : "=", failing_since)
    .executeTakeFirst();
  return updated.numUpdatedRows > 0n;
}

function toColumns({ received, failingSince, unprovedVersion, nextAt }: Notified) {
  return {
    received,
    failing_since: failingSince,
    unproved_version: unprovedVersion,
    next_at: nextAt,
  };
}

/** Emails on their way that nobody has got yet: an owner whose mailbox takes none keeps the next one from nobody else. */
async function listPending(transaction: DatabaseTransaction, formId: FormId): Promise<MailKind[]> {
  const rows = await transaction
    .selectFrom("mail")
    .select("kind")
    .where("form_id", "=", formId)
    .where("finished_at", "is", null)
    .where("reached", "=", 0)
    .execute();
  return rows.map(({ kind }) => kind as MailSubject["kind"]); // written from one
}

interface Changed {
  readonly form: FormState;
  readonly notified: Notified | undefined;
  readonly isNew: boolean;
}

async function listForms(database: Database, after: string): Promise<readonly string[]> {
  const rows = await database
    .selectFrom("form")
    .select("id")
    .where("id", ">", after)
    .orderBy("id")
    .limit(batch)
    .execute();
  return rows.map(({ id }) => id);
}

/** Finds the forms with something to announce. Only counters are compared: no submission is read. */
async function listChanged(database: Database, ids: readonly string[], now: Instant): Promise<readonly Changed[]> {
  if (ids.length === 0) return [];
  const rows = await database
    .selectFrom("form")
    .innerJoin("form_count", "form_count.form_id", "form.id")
    .innerJoin("form_key", (join) =>
      join.onRef("form_key.form_id", "=", "form.id").onRef("form_key.version", "=", "form.key_version"),
    )
    .leftJoin("webhook", "webhook.form_id", "form.id")
    .leftJoin("form_notice", "form_notice.form_id", "form.id")
    .leftJoin("email_opt_out as form_opt_out", "form_opt_out.id", "form.id")
    .leftJoin("email_opt_out as account_opt_out", "account_opt_out.id", "form.account_id")
    .select(hasActiveOwner("form.account_id").as("is_owned"))
    .select(["form.id", "form.account_id", "form.created_at", "form.key_version", "form_count.received"])
    .select(["webhook.failing_since", "form_opt_out.id as form_refused", "account_opt_out.id as account_refused"])
    .select("form_notice.received as notified_received")
    .select([
      "form_notice.failing_since as notified_failing_since",
      "form_notice.next_at",
      "form_notice.unproved_version",
    ])
    .select(["form.encryption", "form_count.stored", "form_key.proved_at"])
    .select("form_key.created_at as key_created_at")
    .where("form.id", "in", ids)
    .where(({ eb, and, or, ref }) =>
      or([
        eb("form_notice.form_id", "is", null),
        and([
          eb("form_opt_out.id", "is", null),
          eb("account_opt_out.id", "is", null),
          or([
            and([
              eb("form_notice.received", "<", ref("form_count.received")),
              // Later than a quiet hour: set by a clock that was wrong.
              or([eb("form_notice.next_at", "<=", now), eb("form_notice.next_at", ">", now + quietMilliseconds)]),
            ]),
            and([
              eb("webhook.url", "is not", null),
              eb("webhook.failing_since", "<=", now - dayMilliseconds),
              or([
                eb("form_notice.failing_since", "is", null),
                eb("form_notice.failing_since", "<>", ref("webhook.failing_since")),
              ]),
            ]),
            and([
              eb("form.encryption", "=", 1),
              eb("form_count.stored", ">", 0),
              eb("form_key.proved_at", "is", null),
              eb("form_key.created_at", "<=", now - dayMilliseconds),
              eb("form_notice.unproved_version", "<>", ref("form.key_version")),
            ]),
          ]),
        ]),
      ]),
    )
    .orderBy("form.id")
    .execute();
  return rows.map((row): Changed => {
    const { notified_received: received, next_at: nextAt } = row;
    const unprovedVersion = row.unproved_version;
    const isNew = received === null || nextAt === null || unprovedVersion === null;
    return {
      form: {
        formId: row.id as FormId, // written from one
        accountId: row.account_id as AccountId, // written from one
        createdAt: row.created_at,
        received: row.received,
        keyVersion: row.key_version,
        failingSince: row.failing_since,
        unprovedSince: isDoubtful(row) ? row.key_created_at : null,
        isWanted: row.form_refused === null && row.account_refused === null && Boolean(row.is_owned),
      },
      notified: isNew ? undefined : { received, nextAt, unprovedVersion, failingSince: row.notified_failing_since },
      isNew,
    };
  });
}

/** It receives, and nobody has said that they can open it. */
function isDoubtful(row: {
  readonly encryption: number;
  readonly stored: number;
  readonly proved_at: number | null;
}): boolean {
  return row.encryption === 1 && row.stored > 0 && row.proved_at === null;
}
