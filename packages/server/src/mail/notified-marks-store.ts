import type { AccountId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { MailTable } from "../database/mail-tables.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { dayMilliseconds, waitedMax } from "../time/clock.ts";
import type { Instant, NoticeSubject } from "./mail.ts";
import { noticeKinds } from "./mail.ts";
import { writeDetails } from "./mail-details.ts";

/**
 * Marks that owners know of something. Each is written with the email that tells them, ends where nobody got that email, and ends with the last owner who
 * may have got it: what still holds is announced again then.
 */

/** The lifetime of an email, and a day. */
const retryMilliseconds = 3 * dayMilliseconds;

type UntoldMail = Pick<MailTable, "kind" | "form_id" | "account_id" | "details">;

/** Ends the mark of an email that nobody got, unless a later one has taken its place. Give it the transaction that ends the email, and lock its form first. */
export async function takeBackMark(
  transaction: DatabaseTransaction,
  { kind, form_id, account_id, details }: UntoldMail,
): Promise<void> {
  const values = parseValues(details);
  const number = (name: string) => (typeof values[name] === "number" ? values[name] : undefined);
  const notice = transaction.updateTable("form_notice").where("form_id", "=", form_id ?? "");
  const [count = 0, since, keyVersion, level, occurredAt] = [
    ...[number("count"), number("since"), number("keyVersion"), number("level"), number("occurredAt")],
  ];
  switch (kind) {
    case "submissions":
      await notice
        .set(({ eb }) => ({ received: eb("received", "-", count) }))
        .where("received", ">=", count)
        .execute();
      return;
    case "webhook_failing":
      await notice
        .set({ failing_since: null })
        .$if(since !== undefined, (query) => query.where("failing_since", "=", since ?? 0))
        .execute();
      return;
    case "key_unproved":
      await notice
        .set({ unproved_version: 0 })
        .$if(keyVersion !== undefined, (query) => query.where("unproved_version", "=", keyVersion ?? 0))
        .execute();
      return;
    case "quota":
    case "account_quota":
      await transaction
        .updateTable("quota_notice")
        .set({ level: 0 })
        .where("id", "=", form_id ?? account_id)
        .$if(kind === "quota" || typeof values.room === "string", (query) =>
          query.where("room", "=", kind === "account_quota" && values.room === "log" ? "log" : "storage"),
        )
        .$if(level !== undefined, (query) => query.where("level", "=", level ?? 0))
        .execute();
      return;
    case "refusal":
      await retryRefusal(transaction, form_id, values.cause, since);
      return;
    case "security":
      if (values.event === "visitors_refused") await retryRefusal(transaction, values.formId, "old_key", occurredAt);
      if (values.event === "api_key_ends" && occurredAt !== undefined)
        await transaction
          .updateTable("api_key")
          .set({ expiry_notified_at: null })
          .where("account_id", "=", account_id)
          .where("expiry_notified_at", "=", occurredAt)
          .execute();
      return;
    default:
      return;
  }
}

/** Tried again from a day after it was announced on: a mail server that takes nothing has been asked for about as long. */
async function retryRefusal(
  transaction: DatabaseTransaction,
  formId: unknown,
  cause: unknown,
  announcedAt: number | undefined,
): Promise<void> {
  if (typeof formId !== "string" || typeof cause !== "string" || announcedAt === undefined) return;
  await transaction
    .updateTable("form_refusal")
    .set({ is_announced: 0, announce_from: announcedAt + retryMilliseconds })
    .where("form_id", "=", formId)
    .where("cause", "=", cause)
    .where("announce_from", ">", announcedAt + retryMilliseconds)
    .execute();
}

/** None of what can't be read: then the mark ends, whatever it says. */
function parseValues(details: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(details)) as Readonly<Record<string, unknown>>; // any object has unknown members
  } catch {
    return {};
  }
}

/** A notice that nobody got, given up within the last day. */
export interface GivenUpNotice {
  readonly kind: string;
  readonly details: string;
}

/** Notices about a form, or about the account itself, that were given up within a day: a mail server that takes none is asked for the same once a day. */
export async function listGivenUp(
  target: Database | DatabaseTransaction,
  about: { readonly formId: FormId } | { readonly accountId: AccountId },
  now: Instant,
): Promise<readonly GivenUpNotice[]> {
  const given = target
    .selectFrom("mail")
    .select(["kind", "details"])
    .where("kind", "in", noticeKinds)
    .where("finished_at", "is not", null)
    .where("reached", "=", 0)
    .where("failed_at", ">", now - dayMilliseconds)
    // Those from later are of a clock that was wrong.
    .where("failed_at", "<=", now + waitedMax);
  return "formId" in about
    ? given.where("form_id", "=", about.formId).execute()
    : given.where("account_id", "=", about.accountId).where("form_id", "is", null).execute();
}

/** Whether the same was given up: one that has something new to say is not held back. */
export function isHeldBack(subject: NoticeSubject, givenUp: readonly GivenUpNotice[], secretBox: SecretBox): boolean {
  return givenUp.some(({ kind, details }) => {
    if (kind !== subject.kind) return false;
    if (subject.kind === "submissions") return subject.count <= Number(parseValues(details).count ?? 0);
    return details === writeDetails("", subject, secretBox);
  });
}

/** That no security email to the owners of the organization that a column names was given up within a day: a reminder waits for so long. */
export function hasLostNoSecurityMail(column: string, now: Instant) {
  return sql<boolean>`not exists (
    select 1 from mail as lost where lost.account_id = ${sql.ref(column)} and lost.kind = 'security' and lost.is_personal = 0
    and lost.finished_at is not null and lost.reached = 0 and lost.failed_at > ${now - dayMilliseconds})`;
}

/** For a form that other owners have now: they know of nothing. The number of its submissions stays: they see those. */
export async function forgetNotifiedOfForm(transaction: DatabaseTransaction, formId: FormId): Promise<void> {
  await transaction
    .updateTable("form_notice")
    .set({ failing_since: null, unproved_version: 0 })
    .where("form_id", "=", formId)
    .execute();
  await transaction.updateTable("quota_notice").set({ level: 0 }).where("id", "=", formId).execute();
  await transaction
    .updateTable("form_refusal")
    .set({ is_announced: 0, announce_from: 0 })
    .where("form_id", "=", formId)
    .execute();
}

/** The same for all of an organization, when somebody who may have been the only one to know ceases to be an owner of it. */
export async function forgetNotified(transaction: DatabaseTransaction, accountId: AccountId): Promise<void> {
  const forms = transaction.selectFrom("form").select("id").where("account_id", "=", accountId);
  await transaction
    .updateTable("form_notice")
    .set({ failing_since: null, unproved_version: 0 })
    .where("form_id", "in", forms)
    .where(({ eb, or }) => or([eb("failing_since", "is not", null), eb("unproved_version", "<>", 0)]))
    .execute();
  await transaction
    .updateTable("quota_notice")
    .set({ level: 0 })
    .where(({ eb, or }) => or([eb("id", "=", accountId), eb("id", "in", forms)]))
    .execute();
  await transaction
    .updateTable("form_refusal")
    .set({ is_announced: 0, announce_from: 0 })
    .where("form_id", "in", forms)
    .execute();
  await transaction
    .updateTable("api_key")
    .set({ expiry_notified_at: null })
    .where("account_id", "=", accountId)
    .where("expiry_notified_at", "is not", null)
    .execute();
}
