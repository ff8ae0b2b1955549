import type { AccountId, FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { SecretBox } from "../secret-box.ts";
import { hostOf } from "./webhook-url.ts";

export interface WebhookSecrets {
  readonly current: string;
  readonly previous: { readonly secret: string; readonly expiresAt: number } | undefined;
}

/** Where a form's events go and how they are signed. Secrets are kept encrypted, bound to their form. */
export interface WebhookStore {
  create(transaction: DatabaseTransaction, formId: FormId, secret: string, url: string | null): Promise<void>;
  /** Where the form's events go from now on; null for nowhere. */
  setUrl(transaction: DatabaseTransaction, formId: FormId, url: string | null): Promise<void>;
  /** The secrets that are valid at `now`; `undefined` when the account has no such form. */
  findSecrets(accountId: AccountId, formId: string, now: number): Promise<WebhookSecrets | undefined>;
}

export function createWebhookStore(database: Database, secretBox: SecretBox): WebhookStore {
  return {
    async create(transaction, formId, secret, url) {
      await transaction
        .insertInto("webhook")
        .values({
          form_id: formId,
          ...toAddress(url),
          secret: secretBox.seal(secret, `webhook/${formId}`),
          sign_first: "current",
        })
        .execute();
    },
    async setUrl(transaction, formId, url) {
      await transaction.updateTable("webhook").set(toAddress(url)).where("form_id", "=", formId).execute();
    },
    async findSecrets(accountId, formId, now) {
      const row = await database
        .selectFrom("webhook")
        .innerJoin("form", "form.id", "webhook.form_id")
        .select(["webhook.secret", "webhook.previous_secret", "webhook.previous_expires_at"])
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const open = (sealed: string) => secretBox.open(sealed, `webhook/${formId}`);
      const { previous_secret: previous, previous_expires_at: expiresAt } = row;
      const isOpen = previous !== null && expiresAt !== null && expiresAt > now;
      return { current: open(row.secret), previous: isOpen ? { secret: open(previous), expiresAt } : undefined };
    },
  };
}

function toAddress(url: string | null) {
  return { url, host: url === null ? null : hostOf(new URL(url)) };
}
