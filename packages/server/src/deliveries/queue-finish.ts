import { type CompiledQuery, type ExpressionBuilder, sql } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { compileOnce, createInsert, isOneOf } from "../database/insert-rows.ts";
import { executePipeline } from "../database/pipeline.ts";
import type { Tables } from "../database/schema.ts";
import { findWorkers } from "../database/workers.ts";
import { compileWipe } from "../outbox/queue-wipe.ts";
import { type EndedRequest, leaseMilliseconds, type Stored } from "./claim.ts";
import type { Instant, SendingDelivery } from "./delivery.ts";
import { errorOfReason } from "./delivery-error.ts";
import { isLetInLater } from "./queue-let-in.ts";

/** Findings of `endTurns`, for `compileKept`. */
export interface EndedTurns {
  /** The completions that count. */
  readonly kept: readonly EndedRequest[];
  /** The webhooks of the completions, with what is known of them. */
  readonly webhooks: readonly FailingWebhook[];
}

/**
 * Stores that requests ended; gives those of them that count, for `compileKept`. Whether a completion still counts is decided by
 * primary key and token in the queue: a row that is not there any more with our token was claimed or ended by somebody else, and
 * only our attempt's own row is written.
 */
export async function endTurns(
  transaction: DatabaseTransaction,
  requests: readonly EndedRequest[],
): Promise<EndedTurns> {
  if (requests.length === 0) return { kept: [], webhooks: [] };
  // In the order in which deleting submissions locks them, so that the two seldom wait for each other in a circle.
  const completions = requests.toSorted((one, other) => (one.claimed.id < other.claimed.id ? -1 : 1));
  const [sent, unsent] = [
    completions.filter(({ isUnsent }) => !isUnsent),
    completions.filter(({ isUnsent }) => isUnsent),
  ];
  const formIds = isLearning(transaction) ? [...findFailures(completions).keys()] : [];
  const [webhooks, ended, , , ...requeued] = await executePipeline<[FailingWebhook, ...QueueKey[]]>(transaction, [
    formIds.length === 0 ? undefined : selectFailing(transaction, formIds),
    endQueued(
      transaction,
      completions.filter(isEnded).map(({ claimed, lease }) => [claimed.formId, claimed.id, lease.token]),
    ),
    finishAttempts(transaction, sent.map(toAttempt)),
    forgetAttempts(
      transaction,
      unsent.map(({ claimed, lease }) => [claimed.formId, lease.attemptId]),
    ),
    ...completions.flatMap((completion) => requeue(transaction, completion)),
  ]);
  const kept = new Set([ended, ...requeued].flatMap((rows = []) => rows.map((row) => row.delivery_id)));
  return { kept: completions.filter(({ claimed }) => kept.has(claimed.id)), webhooks };
}

/** All servers have all webhooks. What is learned of one can wait until all of them answer. */
function isLearning(transaction: DatabaseTransaction): boolean {
  return !findWorkers(transaction)?.listAway().length;
}

/** How it went for each completion; `started` are the attempts of those that continue in the same turn. */
export function toStored(
  completions: readonly EndedRequest[],
  { kept }: EndedTurns,
  started: readonly StartedAttempt[],
): readonly Stored[] {
  const ids = new Set(kept.map(({ claimed }) => claimed.id));
  const leases = new Map(started.map((row) => [row.delivery_id, row.id]));
  return completions.map(({ claimed, lease, at }): Stored => {
    if (!ids.has(claimed.id)) return { kind: "lost" };
    const attemptId = leases.get(claimed.id);
    return attemptId === undefined
      ? { kind: "stored" }
      : { kind: "continued", lease: { token: lease.token, attemptId, since: at } };
  });
}

interface QueueKey {
  readonly delivery_id: string;
}

/** All that follows from completions that count. The first statement gives the attempts that follow in the same turn. */
export function compileKept(
  transaction: DatabaseTransaction,
  { kept, webhooks }: EndedTurns,
): readonly [CompiledQuery<StartedAttempt> | undefined, ...(CompiledQuery | undefined)[]] {
  if (kept.length === 0) return [undefined];
  const ended = kept.filter(isEnded).map(({ claimed }) => [claimed.formId, claimed.id] as const);
  return [
    startNext(transaction, kept),
    updateDeliveries(transaction, kept.flatMap(toLine)),
    ended.length === 0 ? undefined : compileWipe(transaction, ended),
    ...(isLearning(transaction) ? kept.flatMap((completion) => learnSecret(transaction, completion)) : []),
    ...noteFailures(transaction, webhooks, findFailures(kept)),
  ];
}

function isEnded({ after }: EndedRequest): boolean {
  return after.state === "delivered" || after.state === "failed";
}

/** Takes the forms, ids and tokens of deliveries that ended. */
export const endQueued = createRowChange<QueueKey>({
  table: "delivery_queue",
  key: { form_id: "text", delivery_id: "text", claim_token: "text" },
  returning: "delivery_id",
});

/** For a later attempt, or, with the lease renewed, for the next request of this turn. */
function requeue(
  transaction: DatabaseTransaction,
  { claimed, lease, at, after, result }: EndedRequest,
): CompiledQuery<QueueKey>[] {
  if (after.state !== "waiting" && after.state !== "sending") return [];
  const isWaiting = after.state === "waiting";
  const startWith = isWaiting ? after.startWith : after.secrets[0];
  const update = transaction
    .updateTable("delivery_queue")
    .set({
      attempt: after.attempt,
      due_at: isWaiting ? after.dueAt : at + leaseMilliseconds,
      claim_token: isWaiting ? null : lease.token,
      start_secret: startWith ?? null,
      is_waiting: isWaiting && isLetInLater(transaction, after, at) ? 1 : 0,
      // Given back unsent by a shutdown, which must not count as a crash.
      ...(isWaiting && result === undefined && { claims: sql`claims - 1` }),
      // The URL may have changed since; the destination follows it from now on.
      ...(isWaiting && {
        destination: sql`coalesce((select destination from webhook where webhook.form_id = delivery_queue.form_id), destination)`,
      }),
    })
    .where("form_id", "=", claimed.formId)
    .where("delivery_id", "=", claimed.id)
    .where("claim_token", "=", lease.token)
    .returning("delivery_id");
  return [(isWaiting ? update : update.where(isStillWanted(claimed))).compile()];
}

/**
 * What a receiver's answer leads to goes out only while the webhook has the address and the organization that it had at the claim; else the lease
 * ends by itself, and the next claim sees the other address, or none. The row's own destination is where it was queued, and may be from
 * before a change.
 */
const isStillWanted =
  ({ webhookDestination, webhookUrl }: EndedRequest["claimed"]) =>
  ({ exists, selectFrom }: ExpressionBuilder<Tables, "delivery_queue">) =>
    exists(
      selectFrom("webhook")
        .select("webhook.form_id")
        .whereRef("webhook.form_id", "=", "delivery_queue.form_id")
        .where("webhook.destination", "=", webhookDestination)
        .where("webhook.url", "=", webhookUrl),
    );

const finishAttempts = createRowChange({
  table: "attempt",
  set: { duration: "bigint", status_code: "bigint", error: "text" },
  key: { form_id: "text", id: "bigint" },
});

const forgetAttempts = createRowChange({ table: "attempt", key: { form_id: "text", id: "bigint" } });

function toAttempt({ claimed, lease, result }: EndedRequest): readonly unknown[] {
  const key = [claimed.formId, lease.attemptId];
  if (result === undefined) return [null, null, "interrupted", ...key];
  return [result.durationMilliseconds, result.statusCode ?? null, result.error ?? null, ...key];
}

const updateDeliveries = createRowChange({
  table: "delivery",
  set: {
    state: "text",
    attempts: "bigint",
    finished_at: "bigint",
    next_attempt_at: "bigint",
    last_status: "bigint",
    last_error: "text",
    duration: "bigint",
  },
  key: { form_id: "text", id: "text" },
});

/** The line of the log. An attempt that continues with another secret or connection is not finished yet, nor is one that was cut short. */
function toLine({ claimed, before, after, at, result }: EndedRequest): (readonly unknown[])[] {
  const isFinished = result !== undefined && !(after.state === "sending" && after.attempt === before.attempt);
  if (!isFinished && !(after.state === "delivered" || after.state === "failed")) return [];
  const attempts = after.state === "waiting" || after.state === "sending" ? before.attempt : after.attempts;
  const state = after.state === "sending" ? "waiting" : after.state;
  const finishedAt = after.state === "delivered" || after.state === "failed" ? after.at : null;
  const nextAttemptAt = after.state === "waiting" ? after.dueAt : after.state === "sending" ? at : null;
  const cut = after.state === "failed" && after.reason in errorOfReason ? after.reason : undefined;
  const error = cut === undefined ? result?.error : errorOfReason[cut as keyof typeof errorOfReason]; // just asked
  const { statusCode = null, durationMilliseconds = null } = result ?? {};
  const values = [state, attempts, finishedAt, nextAttemptAt, statusCode, error ?? null, durationMilliseconds];
  return [[...values, claimed.formId, claimed.id]];
}

export interface StartedAttempt {
  readonly id: number;
  readonly delivery_id: string;
}

/** The log rows of the requests that follow in the same turn. */
function startNext(
  transaction: DatabaseTransaction,
  ours: readonly EndedRequest[],
): CompiledQuery<StartedAttempt> | undefined {
  return compileAttempts(
    transaction,
    ours.flatMap(({ claimed, after, at }) => (after.state === "sending" ? { claimed, sending: after, at } : [])),
  );
}

const insertAttempts = createInsert<StartedAttempt>({
  table: "attempt",
  columns: {
    form_id: "text",
    delivery_id: "text",
    number: "bigint",
    started_at: "bigint",
    url: "text",
    secret_used: "text",
  },
  returning: ["id", "delivery_id"],
});

/** The log rows of requests that begin; nothing for none. */
export function compileAttempts(
  transaction: DatabaseTransaction,
  started: readonly {
    readonly claimed: Pick<EndedRequest["claimed"], "id" | "formId" | "secrets">;
    readonly sending: SendingDelivery;
    readonly at: Instant;
  }[],
): CompiledQuery<StartedAttempt> | undefined {
  if (started.length === 0) return undefined;
  return insertAttempts(
    transaction,
    started.map(({ claimed, sending, at }) => [
      claimed.formId,
      claimed.id,
      sending.attempt,
      at,
      sending.url,
      claimed.secrets.some(({ id, isCurrent }) => isCurrent && id === sending.secrets[0]) ? "current" : "earlier",
    ]),
  );
}

/** A 2xx while several secrets are valid decides with which one the form's next deliveries begin. */
function learnSecret(transaction: DatabaseTransaction, { claimed, after }: EndedRequest): CompiledQuery[] {
  const { formId, secrets } = claimed;
  if (after.state !== "delivered" || secrets.length === 1 || after.accepted === secrets[0]?.id) return [];
  const update = transaction.updateTable("webhook").set({ accepted_secret: after.accepted });
  return [update.where("form_id", "=", formId).compile()];
}

/** Since when the webhooks of these completions accept nothing; null for those that do. */
function findFailures(ours: readonly EndedRequest[]): ReadonlyMap<string, number | null> {
  const failures = new Map<string, number | null>();
  for (const { claimed, before, after, at, result } of ours) {
    if (after.state === "delivered") failures.set(claimed.formId, null);
    // A try that nobody knows the end of says nothing of the webhook, and a failed test is known to who made it.
    else if (after.state !== "sending" && result !== undefined && !before.isTest && !failures.has(claimed.formId))
      failures.set(claimed.formId, at);
  }
  return failures;
}

interface FailingWebhook {
  readonly form_id: string;
  readonly failing_since: number | null;
}

const selectFailing = compileOnce<FailingWebhook>((transaction, formIds) =>
  transaction
    .selectFrom("webhook")
    .select(["form_id", "failing_since"])
    .where(isOneOf(transaction, "form_id", formIds))
    // In one order, so that two processes never wait for each other in a circle.
    .orderBy("form_id"),
);

/** Since when a form's webhook accepts nothing, for the mail to its owner. Rows change when it begins and when it ends only. */
function noteFailures(
  transaction: DatabaseTransaction,
  webhooks: readonly FailingWebhook[],
  failures: ReadonlyMap<string, number | null>,
): readonly CompiledQuery[] {
  return webhooks.flatMap(({ form_id, failing_since: known }) => {
    const failingSince = failures.get(form_id);
    if (failingSince === undefined || (failingSince === null) === (known === null)) return [];
    const change = transaction.updateTable("webhook").set({ failing_since: failingSince });
    return [change.where("form_id", "=", form_id).compile()];
  });
}
