import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import { createWebhookSecret } from "@sealpost/wire";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { accountOf, principalOf, requireFreshSession } from "../access/access.ts";
import { byPrincipal } from "../audit-log/audit-entry.ts";
import { recordAction } from "../audit-log/audit-log-store.ts";
import type { RecordReading } from "../audit-log/owed-entries.ts";
import type { Database } from "../database/database.ts";
import { closed, FormIdParameters, Milliseconds, problems, reference } from "../http/schemas.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import type { Clock } from "../time/clock.ts";
import { previousSecretMilliseconds, secretsMax } from "./webhook-secrets.ts";
import type { WebhookStore } from "./webhook-store.ts";

const earlierSecretsExpireAt = Type.Optional(
  Type.Array(Milliseconds, {
    description: "There while more than one earlier secret is valid: when each of them ends, the newest first.",
  }),
);

export const WebhookSecretBody = closed(
  {
    secret: Type.String({ description: "`whsec_` and base64 of 32 bytes." }),
    previousSecretExpiresAt: Type.Optional(Milliseconds),
    earlierSecretsExpireAt,
  },
  { $id: "WebhookSecret", description: "`previousSecretExpiresAt` is there while the secret before is still valid." },
);

export const RotatedSecretBody = closed(
  {
    secret: Type.String({ description: "The new secret." }),
    previousSecretExpiresAt: Milliseconds,
    earlierSecretsExpireAt,
  },
  {
    $id: "RotatedWebhookSecret",
    description: "Until `previousSecretExpiresAt` the secret before is valid too; on `revokePrevious` that is now.",
  },
);

const RotateSecretInput = Type.Unsafe<{ readonly revokePrevious?: boolean } | null>({
  ...closed({
    revokePrevious: Type.Optional(
      Type.Boolean({ default: false, description: "End all earlier secrets at once, because somebody else has one." }),
    ),
  }),
  type: ["object", "null"],
  description: "Nothing, or how to treat the secret before.",
});

export interface WebhookRouteDependencies {
  readonly database: Database;
  readonly recordReading: RecordReading;
  readonly webhooks: WebhookStore;
  readonly clock: Clock;
}

/** Contract, section 9.6. */
export function createWebhookRoutes({ database, recordReading, webhooks, clock }: WebhookRouteDependencies) {
  return async (instance: FastifyInstance): Promise<void> => {
    const app = instance.withTypeProvider<TypeBoxTypeProvider>();
    app.route({
      method: "GET",
      url: "/api/forms/:form_id/webhook-secret",
      config: { access: "forms:write" },
      schema: {
        operationId: "getWebhookSecret",
        summary: "Get the secret that signs the form's webhooks",
        description:
          "The secret that signs the requests to the form's webhook URL. During a rotation older ones stay valid for 24 hours. By a session it needs a sign-in within the last 60 minutes: with the secret anybody can forge events, also after the session.",
        tags: ["Webhooks"],
        params: FormIdParameters,
        response: { 200: reference(WebhookSecretBody), ...problems(401, 403, 404, 429) },
      },
      handler: async (request) => {
        const now = clock.now();
        requireFreshSession(request, now);
        const secrets = await webhooks.findSecrets(accountOf(request), request.params.form_id, now);
        if (secrets === undefined) throw formNotFound();
        const { current, earlierExpireAt, form } = secrets;
        await recordReading({
          ...byPrincipal(principalOf(request)),
          action: "webhook_secret.shown",
          occurredAt: now,
          target: { type: "form", ...form },
        });
        const [previousSecretExpiresAt] = earlierExpireAt;
        return {
          secret: current,
          ...(previousSecretExpiresAt !== undefined && { previousSecretExpiresAt }),
          ...describeEarlier(earlierExpireAt),
        };
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
          "By a session it needs a sign-in within the last 60 minutes. The secret before stays valid for 24 hours, whatever is rotated meanwhile, and a receiver that knows only one of them loses nothing: each delivery is tried first with the secret that was accepted last, and with the next one if that is refused. At most five are valid at once; a further rotation is answered 409 until one has ended, unless it ends them all (`revokePrevious`).",
        tags: ["Webhooks"],
        params: FormIdParameters,
        body: RotateSecretInput,
        response: { 200: reference(RotatedSecretBody), ...problems(400, 401, 403, 404, 409, 413, 415, 429) },
      },
      handler: async (request) => {
        const now = clock.now();
        requireFreshSession(request, now);
        const isKept = request.body?.revokePrevious !== true;
        const previousExpiresAt = isKept ? now + previousSecretMilliseconds : undefined;
        const secret = createWebhookSecret();
        const rotated = await database.transaction().execute(async (transaction) => {
          const rotation = { secret, now, previousExpiresAt };
          const result = await webhooks.rotate(transaction, accountOf(request), request.params.form_id, rotation);
          if (result.outcome === "rotated")
            await recordAction(transaction, {
              ...byPrincipal(principalOf(request)),
              action: "webhook_secret.rotated",
              occurredAt: now,
              target: { type: "form", ...result.form },
            });
          return result;
        });
        if (rotated.outcome === "not_found") throw formNotFound();
        if (rotated.outcome === "too_many") throw tooManySecrets(rotated.endsAt);
        return {
          secret,
          previousSecretExpiresAt: previousExpiresAt ?? now,
          ...describeEarlier(rotated.earlierExpireAt),
        };
      },
    });
  };
}

function describeEarlier(earlierSecretsExpireAt: readonly number[]) {
  return earlierSecretsExpireAt.length > 1 ? { earlierSecretsExpireAt: [...earlierSecretsExpireAt] } : {};
}

function tooManySecrets(endsAt: number): Problem {
  const when = new Date(endsAt).toISOString();
  return new Problem(
    "conflict",
    `${secretsMax} secrets of this form are valid: wait until the first of them ends (${when}), or end all earlier ones with revokePrevious`,
  );
}
