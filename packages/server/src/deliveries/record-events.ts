import { createId, type DeliveryId, type FormId, type SubmissionId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";
import { compileOnce, insertRows, isOneOf } from "../database/insert-rows.ts";

/** interface.md 6.1. */
export const eventKinds = ["submission.created", "submission.deleted", "form.updated", "form.keys_rotated"] as const;
export type EventKind = (typeof eventKinds)[number];

/** Something that happened to a form and that its webhook URL, if it has one, is told (interface.md 6.1). */
export interface NewEvent {
  readonly kind: EventKind;
  readonly formId: FormId;
  readonly formName: string;
  readonly occurredAt: number;
  readonly submissionId?: SubmissionId;
  /** A test: its delivery is sent in one turn and never retried, and its body says `test: true`. */
  readonly isTest?: boolean;
  /** The members of the body beside `event`, `timestamp` and `form`. */
  readonly content: object | (() => object);
}

/**
 * Writes the events of forms that have a webhook URL, each with its delivery, into the transaction of what caused them:
 * either both happened or neither did. The body's bytes and the delivery's id are fixed here and never change.
 */
export type RecordEvents = (transaction: DatabaseTransaction, events: readonly NewEvent[]) => Promise<DeliveryId[]>;

const eventColumns = ["id", "form_id", "submission_id", "kind", "occurred_at", "body"];
const deliveryColumns = ["id", "event_id", "form_id", "is_test", "state", "attempts", "created_at", "next_attempt_at"];
const queueColumns = ["delivery_id", "form_id", "host", "attempt", "due_at", "claims"];

export const recordEvents: RecordEvents = async (transaction, events) => {
  const hosts = await findHosts(transaction, events);
  const rows = events.flatMap((event) => {
    const host = hosts.get(event.formId);
    if (host === undefined) return [];
    const { kind, formId, occurredAt } = event;
    const eventId = createId("event", occurredAt);
    const deliveryId = createId("delivery", occurredAt);
    return {
      id: deliveryId,
      event: [eventId, formId, event.submissionId ?? null, kind, occurredAt, encodeBody(event)],
      delivery: [deliveryId, eventId, formId, event.isTest === true ? 1 : 0, "waiting", 0, occurredAt, occurredAt],
      queued: [deliveryId, formId, host, 1, occurredAt, 0],
    };
  });
  if (rows.length > 0) {
    await insertRows(
      transaction,
      "event",
      eventColumns,
      rows.map(({ event }) => event),
    );
    await insertRows(
      transaction,
      "delivery",
      deliveryColumns,
      rows.map(({ delivery }) => delivery),
    );
    await insertRows(
      transaction,
      "delivery_queue",
      queueColumns,
      rows.map(({ queued }) => queued),
    );
  }
  return rows.map(({ id }) => id);
};

const selectHosts = compileOnce((transaction, formIds) =>
  transaction
    .selectFrom("webhook")
    .select(["form_id", "host"])
    .where(isOneOf(transaction, "form_id", formIds)),
);

async function findHosts(transaction: DatabaseTransaction, events: readonly NewEvent[]): Promise<Map<string, string>> {
  if (events.length === 0) return new Map();
  const rows = await selectHosts(transaction, [...new Set(events.map(({ formId }) => formId))]);
  return new Map(rows.flatMap(({ form_id, host }) => (host === null ? [] : [[form_id, host] as const])));
}

/** The bytes that are signed and sent: `{event, timestamp, form: {id, name}, …}` as UTF-8 JSON. */
export function encodeBody({ kind, occurredAt, formId, formName, content, isTest }: NewEvent): Uint8Array {
  return Buffer.from(
    JSON.stringify({
      event: kind,
      timestamp: occurredAt,
      form: { id: formId, name: formName },
      ...(typeof content === "function" ? content() : content),
      ...(isTest === true && { test: true }),
    }),
  );
}
