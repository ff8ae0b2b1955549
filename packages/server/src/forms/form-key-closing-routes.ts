import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { accountOf, principalOf, requireFreshSession } from "../access/access.ts";
import type { Principal } from "../access/principal.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { FormIdParameters, problems, reference } from "../http/schemas.ts";
import { formNotFound } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import type { Form } from "./form.ts";
import { FormKeysBody } from "./form-schemas.ts";
import type { FormStore } from "./form-store.ts";
import { describeClosing, type KeyClosing, KeyClosingInput, requireOlder } from "./key-closing.ts";
import { loadOwnedForm } from "./owned-form.ts";
import { toKeyBody } from "./to-key-body.ts";

export interface FormKeyClosingRouteDependencies {
  readonly database: Database;
  readonly forms: FormStore;
  readonly clock: Clock;
}

/** Ends older versions of a form's key: anyone who has only their private keys reads nothing that comes later. */
export function createFormKeyClosingRoutes({ database, forms, clock }: FormKeyClosingRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    instance.withTypeProvider<TypeBoxTypeProvider>().route({
      method: "POST",
      url: "/api/forms/:form_id/keys/close",
      config: { access: "forms:write" },
      schema: {
        operationId: "closeFormKeys",
        summary: "End older versions of a form's key",
        description:
          'Submissions that are sealed to a version below `below` are refused from `at` on with 410, `code: "key_version_closed"`; one that was stored before is still answered as before. The embed seals once more to the newest key, or asks to load the page again and keeps what was typed. The answer has every version, with `closesAt`. By a session only within 60 minutes after its sign-in.',
        tags: ["Forms"],
        params: FormIdParameters,
        body: KeyClosingInput,
        response: { 200: reference(FormKeysBody), ...problems(400, 401, 403, 404, 413, 415, 429) },
      },
      handler: async (request) => {
        requireFreshSession(request, clock.now());
        const accountId = accountOf(request);
        const found = await loadOwnedForm(forms, request, request.params.form_id);
        await database.transaction().execute(async (transaction) => {
          const form = await forms.load(transaction, accountId, found.form.id);
          if (form === undefined) throw formNotFound();
          requireOlder(form, request.body, "below");
          await closeKeys(transaction, forms, {
            form,
            closing: request.body,
            by: principalOf(request),
            now: clock.now(),
          });
        });
        return { keys: (await forms.listKeys(found.form.id)).map(toKeyBody) };
      },
    });
  };
}

interface Closing {
  readonly form: Form;
  readonly closing: KeyClosing;
  readonly by: Principal;
  readonly now: number;
}

/** In the transaction that has the form's lock. */
export async function closeKeys(
  transaction: DatabaseTransaction,
  forms: Pick<FormStore, "closeKeys">,
  { form, closing: { below, at }, by, now }: Closing,
): Promise<void> {
  const closing = { below, at: at === null ? null : Math.max(at, now) };
  await forms.closeKeys(transaction, form.id, closing, now);
  await recordAction(transaction, {
    ...byPrincipal(by),
    action: "form.keys_closed",
    occurredAt: now,
    target: { type: "form", id: form.id, name: form.name },
    details: { changes: describeClosing(closing) },
  });
}
