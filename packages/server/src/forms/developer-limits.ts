import type { FastifyRequest } from "fastify";
import { principalOf, roleInsufficient } from "../access/access.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import type { Form, FormChange } from "./form.ts";
import type { FormStore } from "./form-store.ts";

/**
 * Throws for a change by which a developer would get at submissions: ending the sealing, or pointing a webhook elsewhere while
 * something that is not sealed could still go there.
 */
export async function requireWithinRole(
  request: FastifyRequest,
  transaction: DatabaseTransaction,
  forms: Pick<FormStore, "mayHoldPlain">,
  form: Form,
  { settings }: Pick<FormChange, "settings">,
): Promise<void> {
  if (principalOf(request).role !== "developer") return;
  if (settings?.encryption === false) throw roleInsufficient();
  if (!settings?.webhookUrl) return;
  if (!form.settings.encryption || (await forms.mayHoldPlain(transaction, form.id)))
    throw new Problem(
      "forbidden",
      "A developer changes the webhook only of a form that seals, has no plain submissions and has delivered everything",
    );
}
