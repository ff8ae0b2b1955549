import type { DeliveryId, FormId } from "@sealpost/wire";
import { createId, isId } from "@sealpost/wire";
import { type ExpressionBuilder, type Selectable, sql } from "kysely";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import type { AttemptTable } from "../database/delivery-tables.ts";
import { areOfOneForm, isOfForm } from "../database/form-scope.ts";
import { lockEvents, lockForm } from "../database/lock.ts";
import { rowsLookedAtMax } from "../database/looked-rows.ts";
import type { Tables } from "../database/schema.ts";
import { type EventKind, eventKinds } from "../outbox/event.ts";
import { findBodies, hasBody } from "../outbox/event-body.ts";
import { isContentDeleted } from "./deleted-content-store.ts";
import type { Instant } from "./delivery.ts";
import { type DeliveryError, parseDeliveryError, type RepeatReason } from "./delivery-error.ts";

/** A delivery as the log shows it. */
export interface DeliveryLine {
  readonly id: DeliveryId;
  readonly kind: EventKind;
  readonly occurredAt: Instant;
  readonly createdAt: Instant;
  readonly isTest: boolean;
  readonly state: "waiting" | "delivered" | "failed";
  /** How many attempts are finished. */
  readonly attempts: number;
  readonly nextAttemptAt: Instant | undefined;
  readonly statusCode: number | undefined;
  readonly error: DeliveryError | undefined;
  readonly durationMilliseconds: number | undefined;
}

export interface AttemptLine {
  readonly number: number;
  readonly startedAt: Instant;
  readonly durationMilliseconds: number | undefined;
  readonly statusCode: number | undefined;
  readonly error: DeliveryError | undefined;
  readonly url: string;
  /** Why it was made, if it repeats the one before under the same number. */
  readonly repeatReason: RepeatReason | undefined;
}

export interface DeliveryDetail {
  readonly line: DeliveryLine;
  readonly attempts: readonly AttemptLine[];
  /** The bytes that were signed and sent; `undefined` once their submission was deleted, also where they are still to be sent. */
  readonly body: Uint8Array | undefined;
}

/** Where a page of the log ended: newest first by creation, then id. */
export interface LogCursor {
  readonly createdAt: Instant;
  readonly id: string;
}

export interface LogPage {
  readonly lines: readonly DeliveryLine[];
  /** Where the next page begins; `undefined` on the last. A page may have fewer than `limit` lines, or none, and others follow. */
  readonly next: LogCursor | undefined;
}

export interface LogQuery {
  readonly limit: number;
  readonly after: LogCursor | undefined;
  readonly status: "success" | "failed" | undefined;
  /** Only deliveries of events of this submission. */
  readonly submissionId?: string | undefined;
}

export interface DeliveryLogStore {
  /** Newest first. A delivery is in the log from the end of its first attempt on, or when it ended without one. */
  list(formId: FormId, query: LogQuery): Promise<LogPage>;
  find(formId: FormId, deliveryId: string): Promise<DeliveryDetail | undefined>;
  /** Queues another delivery of the same bytes, while its event has fewer than `sendings`. */
  resend(formId: FormId, deliveryId: string, now: Instant, sendings: number): Promise<ResendOutcome>;
}

export type ResendOutcome =
  | { readonly outcome: "queued"; readonly deliveryId: DeliveryId }
  | { readonly outcome: "not_found" }
  /** Its submission was deleted, and the bytes with it. */
  | { readonly outcome: "wiped" }
  /** The log has so many deliveries of the event. */
  | { readonly outcome: "too_often" }
  | { readonly outcome: "no_url" };

/** So many deliveries of one event the log keeps: else a program in a loop would fill it. */
export const sendingsMax = 100;
/** The last of them are for owners with a session: a manager, or an API key, uses up none of them. */
export const sendingsForOwners = 20;

export function createDeliveryLogStore(database: Database): DeliveryLogStore {
  function selectLines() {
    return (
      database
        .selectFrom("delivery")
        .innerJoin("event", (join) =>
          join
            .onRef("event.id", "=", "delivery.event_id")
            .on(areOfOneForm(database, "event.form_id", "delivery.form_id")),
        )
        .select(["delivery.id", "delivery.created_at", "delivery.is_test", "delivery.state", "delivery.attempts"])
        .select(["delivery.next_attempt_at", "delivery.last_status", "delivery.last_error", "delivery.duration"])
        .select(["event.kind", "event.occurred_at"])
        // Word for word the condition of the partial index: with a parameter in it the index would not be used.
        .where(sql<boolean>`(delivery.attempts > 0 or delivery.finished_at is not null)`)
    );
  }

  /** The last of as many deliveries as one page looks at; `undefined` if there are no more. */
  async function findEnd(formId: FormId, after: LogCursor | undefined): Promise<LogCursor | undefined> {
    let looked = database
      .selectFrom("delivery")
      .select(["delivery.created_at", "delivery.id"])
      .where("delivery.form_id", "=", formId)
      .orderBy("delivery.created_at", "desc")
      .orderBy("delivery.id", "desc")
      .offset(rowsLookedAtMax - 1)
      .limit(1);
    if (after !== undefined) looked = looked.where(isPlace("<", after));
    const row = await looked.executeTakeFirst();
    return row && { createdAt: row.created_at, id: row.id };
  }

  /** Asked last: a deletion that is over by now shows nothing. */
  async function findShownBody(formId: FormId, eventId: string): Promise<Uint8Array | undefined> {
    const body = (await findBodies(database, formId, [eventId])).get(eventId);
    return (await isContentDeleted(database, formId, eventId)) ? undefined : body;
  }

  return {
    async list(formId, { limit, after, status, submissionId }) {
      let query = selectLines().orderBy("delivery.created_at", "desc").orderBy("delivery.id", "desc");
      if (status === "success") query = query.where("delivery.state", "=", "delivered");
      if (status === "failed") query = query.where(sql<boolean>`delivery.state <> 'delivered'`); // as that index says it
      // A delivery's form is its event's. Asked of the event, SQLite begins with the submission's few events; asked of the
      // delivery, it walks the form's whole log in its order, without statistics to tell it better.
      query =
        submissionId === undefined
          ? query.where("delivery.form_id", "=", formId)
          : query.where("event.form_id", "=", formId).where("event.submission_id", "=", submissionId);
      // The log has any number of deliveries that wait for their first attempt, or have failed.
      const end = submissionId === undefined && status !== "failed" ? await findEnd(formId, after) : undefined;
      if (after !== undefined) query = query.where(isPlace("<", after));
      if (end !== undefined) query = query.where(isPlace(">=", end));
      // One more than asked for tells whether there is a next page.
      const rows = await query.limit(limit + 1).execute();
      const lines = rows.slice(0, limit).map(toLine);
      return { lines, next: rows.length > limit ? lines.at(-1) : end };
    },

    async find(formId, deliveryId) {
      const row = await selectLines()
        .select("delivery.event_id")
        .where("delivery.form_id", "=", formId)
        .where("delivery.id", "=", deliveryId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const attempts = await database
        .selectFrom("attempt")
        .selectAll()
        .where("form_id", "=", formId)
        .where("delivery_id", "=", deliveryId)
        .orderBy("id")
        .execute();
      return {
        line: toLine(row),
        attempts: attempts.map((attempt, index) => ({
          number: attempt.number,
          startedAt: attempt.started_at,
          durationMilliseconds: attempt.duration ?? undefined,
          statusCode: attempt.status_code ?? undefined,
          error: attempt.error === null ? undefined : parseDeliveryError(attempt.error),
          url: attempt.url,
          repeatReason: findRepeatReason(attempts[index - 1], attempt),
        })),
        body: await findShownBody(formId, row.event_id),
      };
    },

    resend: (formId, deliveryId, now, sendings) =>
      database.transaction().execute(async (transaction): Promise<ResendOutcome> => {
        await lockForm(transaction, formId, "keep");
        await holdEventOf(transaction, formId, deliveryId);
        const original = await transaction
          .selectFrom("delivery")
          .innerJoin("event", (join) =>
            join.onRef("event.form_id", "=", "delivery.form_id").onRef("event.id", "=", "delivery.event_id"),
          )
          .select("delivery.event_id")
          .select(hasBody.as("has_body"))
          .where("delivery.form_id", "=", formId)
          .where("delivery.id", "=", deliveryId)
          .executeTakeFirst();
        if (original === undefined) return { outcome: "not_found" };
        if (!original.has_body || (await isContentDeleted(transaction, formId, original.event_id)))
          return { outcome: "wiped" };
        const last = await transaction
          .selectFrom("delivery")
          .select("id")
          .where(isOfForm(transaction, formId))
          .where("event_id", "=", original.event_id)
          .offset(sendings - 1)
          .limit(1)
          .executeTakeFirst();
        if (last !== undefined) return { outcome: "too_often" };
        const webhook = await transaction
          .selectFrom("webhook")
          .select("destination")
          .where("form_id", "=", formId)
          .executeTakeFirst();
        const destination = webhook?.destination ?? null;
        if (destination === null) return { outcome: "no_url" };
        const id = createId("delivery", now);
        await transaction
          .insertInto("delivery")
          .values({
            id,
            event_id: original.event_id,
            form_id: formId,
            is_test: 0,
            state: "waiting",
            attempts: 0,
            created_at: now,
            next_attempt_at: now,
          })
          .execute();
        await transaction
          .insertInto("delivery_queue")
          .values({ delivery_id: id, form_id: formId, destination, attempt: 1, due_at: now, claims: 0 })
          .execute();
        return { outcome: "queued", deliveryId: id };
      }),
  };
}

function isPlace(operator: "<" | ">=", { createdAt, id }: LogCursor) {
  return ({ eb, refTuple, tuple }: ExpressionBuilder<Pick<Tables, "delivery">, "delivery">) =>
    eb(refTuple("delivery.created_at", "delivery.id"), operator, tuple(createdAt, id));
}

function findRepeatReason(
  before: Selectable<AttemptTable> | undefined,
  { number }: Selectable<AttemptTable>,
): RepeatReason | undefined {
  if (before?.number !== number) return undefined;
  if (before.error === "connection_closed" || before.error === "interrupted") return before.error;
  // Nothing else leads to another request of the same attempt.
  return "secret_refused";
}

/** Until the transaction ends, the event of this delivery is neither removed nor wiped. */
async function holdEventOf(transaction: DatabaseTransaction, formId: FormId, deliveryId: string): Promise<void> {
  const delivery = await transaction
    .selectFrom("delivery")
    .select("event_id")
    .where("form_id", "=", formId)
    .where("id", "=", deliveryId)
    .executeTakeFirst();
  if (delivery !== undefined) await lockEvents(transaction, [[formId, delivery.event_id]]);
}

interface LineRow {
  readonly id: string;
  readonly created_at: number;
  readonly is_test: number;
  readonly state: "waiting" | "delivered" | "failed";
  readonly attempts: number;
  readonly next_attempt_at: number | null;
  readonly last_status: number | null;
  readonly last_error: string | null;
  readonly duration: number | null;
  readonly kind: string;
  readonly occurred_at: number;
}

function toLine(row: LineRow): DeliveryLine {
  if (!isId("delivery", row.id)) throw new Error("A delivery in the database has no delivery id");
  const kind = eventKinds.find((known) => known === row.kind);
  if (kind === undefined) throw new Error("An event in the database is of an unknown kind");
  return {
    id: row.id,
    kind,
    occurredAt: row.occurred_at,
    createdAt: row.created_at,
    isTest: row.is_test === 1,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.next_attempt_at ?? undefined,
    statusCode: row.last_status ?? undefined,
    error: row.last_error === null ? undefined : parseDeliveryError(row.last_error),
    durationMilliseconds: row.duration ?? undefined,
  };
}
