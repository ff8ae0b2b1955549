import type { AccountId, FormId } from "@sealpost/wire";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { lockRow } from "../database/lock.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import { listValidSecrets, secretsMax, toOnlyColumns, toRotatedColumns } from "./webhook-secrets.ts";
import { hostOf } from "./webhook-url.ts";

export interface WebhookSecrets {
  readonly current: string;
  /** When each of the earlier secrets ends, the newest first. */
  readonly earlierExpireAt: readonly number[];
  readonly form: { readonly id: FormId; readonly name: string };
}

export type RotationOutcome =
  | { readonly outcome: "rotated"; readonly form: WebhookSecrets["form"]; readonly earlierExpireAt: readonly number[] }
  /** The account has none such. */
  | { readonly outcome: "not_found" }
  /** As many as may be are valid; the first of them ends then. */
  | { readonly outcome: "too_many"; readonly endsAt: number };

export interface SecretRotation {
  readonly secret: string;
  readonly now: number;
  readonly previousExpiresAt: number | undefined;
}

/** Where a form's events go and how they are signed. Secrets are kept encrypted, bound to their form. */
export interface WebhookStore {
  create(transaction: DatabaseTransaction, formId: FormId, secret: string, url: string | null): Promise<void>;
  /** How a 302 or 303 of the receiver is followed. */
  setRedirects(transaction: DatabaseTransaction, formId: FormId, redirects: "post" | "get"): Promise<void>;
  /** Where the form's events go from now on; null for nowhere. */
  setUrl(transaction: DatabaseTransaction, formId: FormId, url: string | null, isByDeveloper?: boolean): Promise<void>;
  /** Whether a developer chose the address, and nobody with another role has agreed to it since. */
  isByDeveloper(transaction: DatabaseTransaction, formId: FormId): Promise<boolean>;
  agreeToUrl(transaction: DatabaseTransaction, formId: FormId): Promise<void>;
  /**
   * Makes `secret` the current one. The one before stays valid until `previousExpiresAt`, and each that was valid already
   * until the time that it was promised. Without `previousExpiresAt` all of them end now.
   */
  rotate(
    transaction: DatabaseTransaction,
    accountId: AccountId,
    formId: string,
    rotation: SecretRotation,
  ): Promise<RotationOutcome>;
  /** The secrets that are valid at `now`; `undefined` when the account has no such form. */
  findSecrets(accountId: AccountId, formId: string, now: number): Promise<WebhookSecrets | undefined>;
}

export function createWebhookStore(database: Database, secretBox: SecretBox): WebhookStore {
  const sealer = secretBox.sealer("webhooks");
  return {
    async create(transaction, formId, secret, url) {
      await transaction
        .insertInto("webhook")
        .values({
          form_id: formId,
          ...toAddress(url),
          ...toOnlyColumns(sealer.seal(secret, `webhook/${formId}`)),
        })
        .execute();
    },
    async setRedirects(transaction, formId, redirects) {
      await transaction.updateTable("webhook").set({ redirects }).where("form_id", "=", formId).execute();
    },
    async setUrl(transaction, formId, url, isByDeveloper = false) {
      await transaction
        .updateTable("webhook")
        .set({ ...toAddress(url), failing_since: null, by_developer: isByDeveloper ? 1 : 0 })
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
    async isByDeveloper(transaction, formId) {
      const row = await transaction
        .selectFrom("webhook")
        .select("by_developer")
        .where("form_id", "=", formId)
        .executeTakeFirst();
      return row?.by_developer === 1;
    },
    async agreeToUrl(transaction, formId) {
      await transaction.updateTable("webhook").set({ by_developer: 0 }).where("form_id", "=", formId).execute();
    },
    async rotate(transaction, accountId, formId, { secret, now, previousExpiresAt }) {
      const form = await transaction
        .selectFrom("form")
        .select(["id", "name"])
        .where("account_id", "=", accountId)
        .where("id", "=", formId)
        .executeTakeFirst();
      if (form === undefined) return { outcome: "not_found" };
      // Held, so that two rotations at once follow each other and neither forgets what the other has kept.
      const row = await lockRow(
        transaction,
        transaction.selectFrom("webhook").selectAll().where("form_id", "=", formId),
      ).executeTakeFirst();
      // It goes with the form.
      if (row === undefined) return { outcome: "not_found" };
      const valid = listValidSecrets(row, now);
      const ends = valid.flatMap(({ expiresAt }) => expiresAt ?? []);
      if (previousExpiresAt !== undefined && valid.length >= secretsMax)
        return { outcome: "too_many", endsAt: Math.min(...ends) };
      const sealed = sealer.seal(secret, `webhook/${formId}`);
      const columns =
        previousExpiresAt === undefined ? toOnlyColumns(sealed) : toRotatedColumns(sealed, valid, previousExpiresAt);
      await transaction.updateTable("webhook").set(columns).where("form_id", "=", formId).execute();
      const earlierExpireAt = previousExpiresAt === undefined ? [] : [previousExpiresAt, ...newestFirst(ends)];
      return { outcome: "rotated", form: toForm(form), earlierExpireAt };
    },
    async findSecrets(accountId, formId, now) {
      const row = await database
        .selectFrom("webhook")
        .innerJoin("form", "form.id", "webhook.form_id")
        .selectAll("webhook")
        .select(["form.id", "form.name"])
        .where("form.account_id", "=", accountId)
        .where("form.id", "=", formId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return {
        current: sealer.open(row.secret, `webhook/${formId}`),
        earlierExpireAt: newestFirst(listValidSecrets(row, now).flatMap(({ expiresAt }) => expiresAt ?? [])),
        form: toForm(row),
      };
    },
  };
}

function newestFirst(times: readonly number[]): readonly number[] {
  return times.toSorted((one, other) => other - one);
}

function toForm({ id, name }: { readonly id: string; readonly name: string }): WebhookSecrets["form"] {
  return { id: id as FormId, name }; // only ids are written there
}

function toAddress(url: string | null) {
  return { url, host: url === null ? null : hostOf(new URL(url)) };
}
