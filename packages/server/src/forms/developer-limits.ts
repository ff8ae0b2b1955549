import type { FastifyRequest } from "fastify";
import { principalOf, roleInsufficient } from "../access/access.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { sentences } from "../problems/codes.ts";
import { Problem } from "../problems/problem.ts";
import type { WebhookStore } from "../webhooks/webhook-store.ts";
import type { Form, FormChange } from "./form.ts";
import { settings as declared, settingNames } from "./form-settings.ts";
import type { FormStore } from "./form-store.ts";

/**
 * Throws where ending the sealing would send what comes to an address that a developer chose: they may not read it. A request with
 * `webhookUrl`, even unchanged, agrees to the address.
 */
export async function requireAgreedWebhook(
  transaction: DatabaseTransaction,
  webhooks: Pick<WebhookStore, "isByDeveloper" | "agreeToUrl">,
  form: Form,
  asked: Pick<FormChange, "settings">,
  changes: Pick<FormChange, "settings">,
): Promise<void> {
  if (changes.settings?.encryption !== false || !(await webhooks.isByDeveloper(transaction, form.id))) return;
  if (asked.settings?.webhookUrl === undefined && form.settings.webhookUrl !== null)
    throw new Problem(
      "conflict",
      "A developer chose this form's webhook address, which would get what is not sealed. Send webhookUrl too: unchanged to keep it, or null",
    );
  await webhooks.agreeToUrl(transaction, form.id);
}

/**
 * Throws for another name by anybody who does not see all forms. Names are unique in the organization, and which ones are free tells the
 * names of the others.
 */
export function requireToRename(request: FastifyRequest, { name }: Pick<FormChange, "name">): void {
  const { kind, formIds } = principalOf(request);
  if (name === undefined || formIds === undefined) return;
  throw kind === "api_key" ? new Problem("forbidden", sentences.api_key_limited) : roleInsufficient();
}

/**
 * Throws for a change by which a developer would decide who reads submissions, or what of them is kept: switching the sealing, stripping, shortening
 * the bin, or pointing a webhook elsewhere while something that is not sealed could still go there.
 */
export async function requireWithinRole(
  request: FastifyRequest,
  transaction: DatabaseTransaction,
  forms: Pick<FormStore, "mayHoldPlain">,
  form: Form,
  { settings }: Pick<FormChange, "settings">,
): Promise<void> {
  if (principalOf(request).role !== "developer") return;
  // Sealing on as well: from then on nobody without the private key reads what comes, and a developer does not know who has it.
  if (settingNames.some((name) => settings?.[name] !== undefined && !declared[name].isDevelopers))
    throw roleInsufficient();
  if (!settings?.webhookUrl) return;
  if (!form.settings.encryption || (await forms.mayHoldPlain(transaction, form.id)))
    throw new Problem(
      "forbidden",
      "A developer changes the webhook only of a form that seals, has no plain submissions and has delivered everything",
    );
}
