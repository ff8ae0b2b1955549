import type { EventKind } from "../outbox/event.ts";
import { componentPrefix } from "./components.ts";
import type { OpenApiDocument } from "./document-types.ts";
import { mapOperations } from "./map-operations.ts";

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

const eventName = "Event";
/** It sets the URL that events go to. Generators take a callback's name for one operation's alone. */
const settingOperation = "createForm";

/**
 * The document with what the service sends: a POST to the form's webhook URL for each kind of event. The operation that first
 * sets the URL leads there by a callback: generators drop schemas that no path leads to, and some know no `webhooks`.
 */
export function addWebhooks(document: OpenApiDocument): OpenApiDocument {
  const schemas = Object.entries(events).map(([kind, [schema]]) => [kind, `${componentPrefix}${schema}`] as const);
  const event = {
    description: "What is posted to a form's webhook URL.",
    oneOf: schemas.map(([, $ref]) => ({ $ref })),
    discriminator: { propertyName: "event", mapping: Object.fromEntries(schemas) },
  };
  const callbacks = {
    event: {
      "{$request.body#/settings/webhookUrl}": {
        post: {
          summary: "An event of the form; see the webhooks of this document",
          requestBody: {
            required: true,
            content: { "application/json": { schema: { $ref: `${componentPrefix}${eventName}` } } },
          },
          security: [],
          responses: {
            "204": { description: "Any 2xx: it arrived, and is not sent again." },
            "4XX": { description: "But for 429: it is refused, and not sent again." },
          },
        },
      },
    },
  };
  return {
    ...mapOperations(document, (operation) =>
      operation.operationId === settingOperation ? { ...operation, callbacks } : operation,
    ),
    components: { ...document.components, schemas: { ...document.components.schemas, [eventName]: event } },
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
