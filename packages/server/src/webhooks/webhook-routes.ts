import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createWebhookSecret } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction, recordRepeated } from "../audit-log/audit-log-store.ts";
import type { Clock } from "../clock.ts";
import type { Database } from "../database/database.ts";
import { accountOf, principalOf } from "../http/access.ts";
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

export const RotatedSecretBody = closed(
  { secret: Type.String({ description: "The new secret." }), previousSecretExpiresAt: Milliseconds },
  {
    $id: "RotatedWebhookSecret",
    description: "Until `previousSecretExpiresAt` the secret before is valid too; on `revokePrevious` that is now.",
  },
);

const RotateSecretInput = Type.Unsafe<{ readonly revokePrevious?: boolean } | null>({
  ...closed({
    revokePrevious: Type.Optional(
      Type.Boolean({ default: false, description: "End the secret before at once, because somebody else has it." }),
    ),
  }),
  type: ["object", "null"],
  description: "Nothing, or how to treat the secret before.",
});

/** interface.md 8: how long the secret before stays valid. */
const previousSecretMilliseconds = 24 * 3_600_000;

export interface WebhookRouteDependencies {
  readonly database: Database;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

/** interface.md 4.2. */
export function createWebhookRoutes({ database, webhooks, clock }: WebhookRouteDependencies) {
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
        const { current, previous, form } = secrets;
        await recordRepeated(database, {
          ...byPrincipal(principalOf(request)),
          action: "webhook_secret.shown",
          occurredAt: clock.now(),
          target: { type: "form", ...form },
        });
        return { secret: current, ...(previous && { previousSecretExpiresAt: previous.expiresAt }) };
      },
    });

    app.route({
      method: "POST",
      url: "/api/forms/:form_id/webhook-secret/rotate",
      config: { access: "forms:write" },
      schema: {
        operationId: "rotateWebhookSecret",
        summary: "Give the form a new webhook secret",
        description:
          "For 24 hours both are valid, and a receiver that knows only one of them loses nothing: each delivery is tried first with the secret that was accepted last, and once more with the other if that is refused.",
        tags: ["Webhooks"],
        params: FormIdParameters,
        body: RotateSecretInput,
        response: { 200: reference(RotatedSecretBody), ...problems(400, 401, 403, 404, 413, 415, 429) },
      },
      handler: async (request) => {
        const now = clock.now();
        const isKept = request.body?.revokePrevious !== true;
        const expiresAt = isKept ? now + previousSecretMilliseconds : undefined;
        const secret = createWebhookSecret();
        const isRotated = await database.transaction().execute(async (transaction) => {
          const form = await webhooks.rotate(
            transaction,
            accountOf(request),
            request.params.form_id,
            secret,
            expiresAt,
          );
          if (form === undefined) return false;
          await recordAction(transaction, {
            ...byPrincipal(principalOf(request)),
            action: "webhook_secret.rotated",
            occurredAt: now,
            target: { type: "form", ...form },
          });
          return true;
        });
        if (!isRotated) throw new Problem("not_found", "Form not found");
        return { secret, previousSecretExpiresAt: expiresAt ?? now };
      },
    });
  };
}
