import { randomBytes } from "node:crypto";
import type { AccountId, FormId } from "@sealpost/wire";
import type { Database } from "../../database/database.ts";
import type { SecretBox } from "../../instance/secret-box.ts";
import { insertEmails } from "../insert-emails-store.ts";
import { lifetimeOf, type MailKind } from "../mail.ts";
import type { QueuedSubject } from "../mail-details.ts";
import { byNobody, createSendSecurityMail, type SecurityMail } from "../security-mail-store.ts";

/** Where a mail is queued, and what it is about. */
export interface QueuedFor {
  readonly database: Database;
  readonly secretBox: SecretBox;
  /** The organization or, for a kind that is personal, the person. */
  readonly accountId: AccountId;
  /** The recipient of a kind that names one. */
  readonly address: string;
  readonly formId: FormId;
  readonly now: number;
}

type Queue = (where: QueuedFor) => Promise<void>;

const queued =
  (toSubject: (where: QueuedFor) => QueuedSubject): Queue =>
  (where) =>
    where.database
      .transaction()
      .execute((transaction) =>
        insertEmails(transaction, where.accountId, [toSubject(where)], where.now, where.secretBox),
      );

const announced =
  (toMail: (where: QueuedFor) => SecurityMail): Queue =>
  async (where) => {
    await createSendSecurityMail({ hasMail: true })(where.database, toMail(where));
  };

const token = "a-token";

/** Puts an email of each kind into the queue. A kind that is missing does not compile. */
export const queueMail: Readonly<Record<MailKind, { readonly to: "owners" | "one"; readonly queue: Queue }>> = {
  submissions: { to: "owners", queue: queued(({ formId }) => ({ kind: "submissions", formId, count: 3 })) },
  webhook_failing: {
    to: "owners",
    queue: queued(({ formId, now }) => ({ kind: "webhook_failing", formId, since: now })),
  },
  key_unproved: { to: "owners", queue: queued(({ formId }) => ({ kind: "key_unproved", formId, keyVersion: 1 })) },
  refusal: {
    to: "owners",
    queue: queued(({ formId, now }) => ({ kind: "refusal", formId, cause: "origin", since: now })),
  },
  quota: {
    to: "owners",
    queue: queued(({ accountId, formId }) => ({ kind: "quota", accountId, formId, level: 80 })),
  },
  account_quota: {
    to: "owners",
    queue: queued(({ accountId }) => ({ kind: "account_quota", accountId, room: "storage", level: 80 })),
  },
  security: {
    to: "owners",
    queue: announced(({ accountId, now }) => ({
      ...{ accountId, event: "webhook_url_changed", by: byNobody, occurredAt: now },
    })),
  },
  keys_rotated: {
    to: "owners",
    queue: announced(({ accountId, formId, now }) => ({
      ...{ accountId, event: "keys_rotated", by: byNobody, occurredAt: now, formId, keyVersion: 2 },
    })),
  },
  security_gathered: {
    to: "owners",
    async queue({ database, accountId, now }) {
      const id = `${accountId}-${randomBytes(4).toString("hex")}`;
      await database
        .insertInto("mail")
        .values({
          ...{ id, kind: "security_gathered", account_id: accountId, form_id: null, details: "{}", attempts: 0 },
          ...{ created_at: now, expires_at: now + lifetimeOf("security_gathered"), due_at: now },
        })
        .execute();
      await database
        .insertInto("mail_gathered")
        .values({ mail_id: id, event: "webhook_url_changed", count: 2 })
        .execute();
    },
  },
  password_reset: { to: "one", queue: queued(() => ({ kind: "password_reset", token })) },
  verify_email: { to: "one", queue: queued(() => ({ kind: "verify_email", token })) },
  invitation: { to: "one", queue: queued(({ address }) => ({ kind: "invitation", token, address })) },
  instance_invitation: { to: "one", queue: queued(({ address }) => ({ kind: "instance_invitation", token, address })) },
  address: {
    to: "one",
    queue: queued(({ address }) => ({ kind: "address", step: "moved", token, address, other: "other@example.com" })),
  },
};
