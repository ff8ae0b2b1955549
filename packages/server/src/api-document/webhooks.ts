import type { EventKind } from "../outbox/event.ts";
import { componentPrefix } from "./components.ts";
import type { OpenApiDocument } from "./document-types.ts";

const events = {
  "submission.created": ["SubmissionCreatedEvent", "A submission was received"],
  "submission.deleted": ["SubmissionDeletedEvent", "A submission was deleted"],
  "form.updated": ["FormUpdatedEvent", "A form was changed"],
  "form.keys_rotated": ["FormKeysRotatedEvent", "A form has a new key pair"],
} as const satisfies Record<EventKind, readonly [schema: string, summary: string]>;

const headers = [
  ["X-Service-Event", "The kind of event, as in the body."],
  ["X-Service-Delivery-Id", "The same for every attempt: what came twice has it twice."],
  ["X-Service-Timestamp", "When the event happened, in milliseconds since the Unix epoch."],
  ["X-Service-Signature", "`sha256=` and the HMAC-SHA-256 of the body's bytes in hex, keyed by the webhook secret."],
  ["webhook-id", "The delivery's id again, for libraries of Standard Webhooks."],
  ["webhook-timestamp", "When this attempt was sent, in seconds since the Unix epoch."],
  ["webhook-signature", "`v1,…` by Standard Webhooks, one for each secret that is valid, with a space between."],
] as const;

/** The document with what the service sends: a POST to the form's webhook URL for each kind of event. */
export function addWebhooks(document: OpenApiDocument): OpenApiDocument {
  return {
    ...document,
    webhooks: Object.fromEntries(
      Object.entries(events).map(([kind, [schema, summary]]) => [
        kind,
        {
          post: {
            operationId: `receive${schema}`,
            summary,
            description:
              "Sent at least once, in any order. Verify the signature over the body's bytes before anything else, and answer within 30 seconds.",
            tags: ["Events"],
            security: [],
            parameters: headers.map(([name, description]) => ({
              name,
              in: "header",
              required: true,
              description,
              schema: { type: "string" },
            })),
            requestBody: {
              required: true,
              content: { "application/json": { schema: { $ref: `${componentPrefix}${schema}` } } },
            },
            responses: {
              "204": { description: "Any 2xx: it arrived, and is not sent again." },
              "4XX": { description: "But for 429: it is refused, and not sent again." },
              "5XX": { description: "And 429, and no answer at all: it is sent again, six times at the most." },
            },
          },
        },
      ]),
    ),
  };
}
