import { randomBytes } from "node:crypto";
import type { AccountId } from "@sealpost/wire";
import { takeLocks } from "../database/advisory-lock.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { dayMilliseconds, hourMilliseconds, waitedMax } from "../time/clock.ts";
import { type Instant, isPersonal, lifetimeOf, linksPerDay, linksPerHour } from "./mail.ts";
import { type QueuedSubject, writeDetails } from "./mail-details.ts";
import { hashMailbox, isOwnLink, recipientOf } from "./recipient.ts";
import { findUnprovenAddress } from "./recipient-store.ts";

/** Whether the account may get another mail with such a link. */
export async function isLinkDue(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  kind: "password_reset" | "verify_email" | "address",
  now: Instant,
  // A move to another address needs two.
  each = kind === "address" ? 2 : 1,
): Promise<boolean> {
  // A statement of its own: of several at the same moment each counts those before it.
  await takeLocks(transaction, [{ name: `emailed-links/${accountId}`, mode: "alone" }]);
  const [perHour, perDay] = [each * linksPerHour, each * linksPerDay];
  const rows = await transaction
    .selectFrom("mail")
    .select("created_at")
    .where("account_id", "=", accountId)
    .where("kind", "=", kind)
    .where("created_at", ">", now - dayMilliseconds)
    // A later time comes from a clock that was wrong: it would count for as long.
    .where("created_at", "<=", now + waitedMax)
    .limit(perDay)
    .execute();
  return rows.length < perDay && rows.filter((row) => row.created_at > now - hourMilliseconds).length < perHour;
}

/** Adds emails to an account's address to the transaction of their cause. */
export async function insertEmails(
  transaction: DatabaseTransaction,
  accountId: AccountId,
  subjects: readonly QueuedSubject[],
  now: Instant,
  secretBox: SecretBox,
): Promise<void> {
  if (subjects.length === 0) return;
  const unproven = subjects.some(isOwnLink) ? await findUnprovenAddress(transaction, accountId) : undefined;
  const own = unproven === undefined ? null : hashMailbox(unproven);
  await transaction
    .insertInto("mail")
    .values(
      subjects.map((subject) => {
        const id = randomBytes(16).toString("hex");
        return {
          id,
          kind: subject.kind,
          account_id: accountId,
          is_personal: Number(isPersonal(subject)),
          form_id: "formId" in subject ? (subject.formId ?? null) : null,
          details: writeDetails(id, subject, secretBox),
          created_at: now,
          expires_at: now + lifetimeOf(subject.kind),
          due_at: now,
          attempts: 0,
          recipient: recipientOf(subject) ?? (isOwnLink(subject) ? own : null),
        };
      }),
    )
    .execute();
}
