import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import type { Clock } from "../clock.ts";
import { accountOf } from "../http/access.ts";
import { closed, FormIdParameters, Milliseconds, problems, reference } from "../http/schemas.ts";
import { Problem } from "../problem.ts";
import type { WebhookStore } from "./webhook-store.ts";

export const WebhookSecretBody = closed(
  {
    secret: Type.String({ description: "`whsec_` and base64 of 32 bytes." }),
    previousSecretExpiresAt: Type.Optional(Milliseconds),
  },
  { $id: "WebhookSecret", description: "`previousSecretExpiresAt` is there while the secret before is still valid." },
);

export interface WebhookRouteDependencies {
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

/** interface.md 4.2. */
export function createWebhookRoutes({ webhooks, clock }: WebhookRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "GET",
      url: "/api/forms/:form_id/webhook-secret",
      config: { access: "forms:write" },
      schema: {
        operationId: "getWebhookSecret",
        summary: "Get the secret that signs the form's webhooks",
        tags: ["Webhooks"],
        params: FormIdParameters,
        response: { 200: reference(WebhookSecretBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const secrets = await webhooks.findSecrets(accountOf(request), request.params.form_id, clock.now());
        if (secrets === undefined) throw new Problem("not_found", "Form not found");
        const { current, previous } = secrets;
        return { secret: current, ...(previous && { previousSecretExpiresAt: previous.expiresAt }) };
      },
    });
  };
}
