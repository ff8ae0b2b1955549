/** Many forms at once, written without the service: it checks each key, which takes a hundred times as long. */
import { type AccountId, createId, createWebhookSecret, type FormId, type PublicKey } from "@sealpost/wire";
import type { Database } from "../packages/server/src/database/database.ts";
import { defaultSettings } from "../packages/server/src/forms/form-settings.ts";
import { createFormStore } from "../packages/server/src/forms/form-store.ts";
import type { SecretBox } from "../packages/server/src/instance/secret-box.ts";
import { createWebhookStore } from "../packages/server/src/webhooks/webhook-store.ts";

const batch = 500;

export interface ManyForms {
  readonly accountId: AccountId;
  readonly publicKey: PublicKey;
  readonly count: number;
  /** The webhook URL of the form at this place; without it none has one. */
  readonly webhookOf?: (index: number) => string;
}

export async function createManyForms(
  database: Database,
  secretBox: SecretBox,
  { accountId, publicKey, count, webhookOf }: ManyForms,
): Promise<readonly FormId[]> {
  const [forms, webhooks] = [createFormStore(database), createWebhookStore(database, secretBox)];
  const now = Date.now();
  const ids = Array.from({ length: count }, (_, index) => createId("form", now + index));
  const dates = { createdAt: now, updatedAt: now };
  const key = { version: 1, publicKey, fingerprint: "", createdAt: now, madeBy: "owner" } as const;
  const settings = defaultSettings;
  for (let start = 0; start < count; start += batch)
    await database.transaction().execute(async (transaction) => {
      for (const [index, id] of ids.slice(start, start + batch).entries()) {
        const form = {
          ...{ id, accountId, name: id, settings, keyVersion: 1 },
          ...dates,
          createdAt: now + start + index,
        };
        await forms.create(transaction, form, { ...key, hybrid: undefined, provedAt: undefined });
        await webhooks.create(transaction, form, createWebhookSecret(), {
          url: webhookOf?.(start + index) ?? null,
          setBy: form.accountId,
        });
      }
    });
  return ids;
}
