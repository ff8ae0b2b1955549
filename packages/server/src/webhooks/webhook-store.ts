import type { AccountId, FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { SecretBox } from "../secret-box.ts";
import { hostOf } from "./webhook-url.ts";

export interface WebhookSecrets {
  readonly current: string;
  readonly previous: { readonly secret: string; readonly expiresAt: number } | undefined;
  readonly form: { readonly id: FormId; readonly name: string };
}

/** Where a form's events go and how they are signed. Secrets are kept encrypted, bound to their form. */
export interface WebhookStore {
  create(transaction: DatabaseTransaction, formId: FormId, secret: string, url: string | null): Promise<void>;
  /** Where the form's events go from now on; null for nowhere. */
  setUrl(transaction: DatabaseTransaction, formId: FormId, url: string | null): Promise<void>;
  /**
   * Makes `secret` the current one. The one before stays valid until `previousExpiresAt`, or ends now when that is
   * `undefined`; one that was still valid from an earlier rotation ends: never more than two are. The form; `undefined` when the account has none such.
   */
  rotate(
    transaction: DatabaseTransaction,
    accountId: AccountId,
    formId: string,
    secret: string,
    previousExpiresAt: number | undefined,
  ): Promise<WebhookSecrets["form"] | undefined>;
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
      await transaction
        .updateTable("webhook")
        .set({ ...toAddress(url), failing_since: null })
        .where("form_id", "=", formId)
        .execute();
      if (url !== null) return;
      // Due at once, so that the worker finds the URL gone and ends them now instead of at their next attempt.
      await transaction
        .updateTable("delivery_queue")
        .set({ due_at: 0 })
        .where("form_id", "=", formId)
        .where("claim_token", "is", null)
        .execute();
    },
    async rotate(transaction, accountId, formId, secret, previousExpiresAt) {
      const form = await transaction
        .selectFrom("form")
        .select(["id", "name"])
        .where("account_id", "=", accountId)
        .where("id", "=", formId)
        .executeTakeFirst();
      if (form === undefined) return undefined;
      const isKept = previousExpiresAt !== undefined;
      const updated = await transaction
        .updateTable("webhook")
        .set((column) => ({
          secret: secretBox.seal(secret, `webhook/${formId}`),
          previous_secret: isKept ? column.ref("secret") : null,
          previous_expires_at: previousExpiresAt ?? null,
          // Receivers change over at a moment that only they know; until one accepts the new secret, the old one is tried first.
          sign_first: isKept ? "previous" : "current",
        }))
        .where("form_id", "=", formId)
        .executeTakeFirst();
      // Its webhook's row goes with the form.
      return updated.numUpdatedRows > 0n ? toForm(form) : undefined;
    },
    async findSecrets(accountId, formId, now) {
      const row = await database
        .selectFrom("webhook")
        .innerJoin("form", "form.id", "webhook.form_id")
        .select(["webhook.secret", "webhook.previous_secret", "webhook.previous_expires_at"])
        .select(["form.id", "form.name"])
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const open = (sealed: string) => secretBox.open(sealed, `webhook/${formId}`);
      const { previous_secret: previous, previous_expires_at: expiresAt } = row;
      const isOpen = previous !== null && expiresAt !== null && expiresAt > now;
      return {
        current: open(row.secret),
        previous: isOpen ? { secret: open(previous), expiresAt } : undefined,
        form: toForm(row),
      };
    },
  };
}

function toForm({ id, name }: { readonly id: string; readonly name: string }): WebhookSecrets["form"] {
  return { id: id as FormId, name }; // only ids are written there
}

function toAddress(url: string | null) {
  return { url, host: url === null ? null : hostOf(new URL(url)) };
}
