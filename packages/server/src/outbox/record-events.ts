import { createId, type DeliveryId } from "@sealpost/wire";
import type { CompiledQuery } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { compileOnce, createInsert, isOneOf } from "../database/insert-rows.ts";
import { executePipeline } from "../database/pipeline.ts";
import { fromRow, type NewEvent } from "./event.ts";
import { encodeBody, newestLayout } from "./event-body.ts";

/**
 * Writes the events of forms that have a webhook URL, each with its delivery, into the transaction of what caused them:
 * either both happened or neither did. The body's bytes and the delivery's id are settled here and never change.
 */
export async function recordEvents(
  transaction: DatabaseTransaction,
  events: readonly NewEvent[],
): Promise<DeliveryId[]> {
  const { deliveries, statements } = compileEvents(transaction, events, await findDestinations(transaction, events));
  await executePipeline(transaction, statements);
  return deliveries;
}

/** The destination of each form's webhook URL, by the form's id; forms without one are absent. */
export type WebhookDestinations = ReadonlyMap<string, string>;

const insertEvents = createInsert({
  table: "event",
  columns: {
    id: "text",
    form_id: "text",
    submission_id: "text",
    kind: "text",
    occurred_at: "bigint",
    body: "bytea",
    body_layout: "bigint",
    form_name: "text",
  },
});
const insertDeliveries = createInsert({
  table: "delivery",
  columns: {
    id: "text",
    event_id: "text",
    form_id: "text",
    is_test: "bigint",
    state: "text",
    attempts: "bigint",
    created_at: "bigint",
    next_attempt_at: "bigint",
  },
});
const insertQueued = createInsert({
  table: "delivery_queue",
  columns: {
    delivery_id: "text",
    form_id: "text",
    destination: "text",
    attempt: "bigint",
    due_at: "bigint",
    claims: "bigint",
  },
});

/** The statements of `recordEvents` where what `readDestinations` made of the forms' webhook URLs is known in this transaction already. */
export function compileEvents(
  transaction: DatabaseTransaction,
  events: readonly NewEvent[],
  destinations: WebhookDestinations,
): { readonly deliveries: DeliveryId[]; readonly statements: readonly CompiledQuery[] } {
  const rows = events.flatMap((event) => {
    const destination = destinations.get(event.formId);
    if (destination === undefined) return [];
    const { kind, formId, occurredAt } = event;
    const eventId = createId("event", occurredAt);
    const deliveryId = createId("delivery", occurredAt);
    return {
      id: deliveryId,
      event: [eventId, formId, event.submissionId ?? null, kind, occurredAt, ...toBodyColumns(event)],
      delivery: [deliveryId, eventId, formId, event.isTest === true ? 1 : 0, "waiting", 0, occurredAt, occurredAt],
      queued: [deliveryId, formId, destination, 1, occurredAt, 0],
    };
  });
  if (rows.length === 0) return { deliveries: [], statements: [] };
  const statements = [
    insertEvents(
      transaction,
      rows.map(({ event }) => event),
    ),
    insertDeliveries(
      transaction,
      rows.map(({ delivery }) => delivery),
    ),
    insertQueued(
      transaction,
      rows.map(({ queued }) => queued),
    ),
  ];
  return { deliveries: rows.map(({ id }) => id), statements };
}

/** Selects the webhook URLs' destinations of forms, for `readDestinations`. */
export const selectDestinations = compileOnce((transaction, formIds) =>
  transaction
    .selectFrom("webhook")
    .select(["form_id", "destination"])
    .where(isOneOf(transaction, "form_id", formIds)),
);

export function readDestinations(
  rows: readonly { readonly form_id: string; readonly destination: string | null }[],
): WebhookDestinations {
  return new Map(
    rows.flatMap(({ form_id, destination }) => (destination === null ? [] : [[form_id, destination] as const])),
  );
}

async function findDestinations(
  transaction: DatabaseTransaction,
  events: readonly NewEvent[],
): Promise<WebhookDestinations> {
  if (events.length === 0) return new Map();
  const formIds = [...new Set(events.map(({ formId }) => formId))];
  return readDestinations((await transaction.executeQuery(selectDestinations(transaction, formIds))).rows);
}

/** The values of `body`, `body_layout` and `form_name`. */
function toBodyColumns({ content, ...event }: NewEvent): readonly unknown[] {
  if (content === fromRow) return [null, newestLayout, event.formName];
  return [encodeBody({ ...event, content: typeof content === "function" ? content() : content }), null, null];
}
