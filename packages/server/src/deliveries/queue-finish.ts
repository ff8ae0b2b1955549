import { sql } from "kysely";
import type { DatabaseTransaction } from "../database/database.ts";
import { isOneOf } from "../database/insert-rows.ts";
import { type Completion, leaseMilliseconds, type Stored } from "./claim.ts";
import { errorOfReason } from "./delivery-error.ts";
import { wipeMarkedBodies } from "./queue-wipe.ts";

/**
 * Stores how requests ended. Whether a completion still counts is decided by primary key and token in the queue: a row that
 * is not there any more with our token was claimed or ended by somebody else, and only our attempt's own row is written.
 */
export async function storeCompletions(
  transaction: DatabaseTransaction,
  completions: readonly Completion[],
): Promise<readonly Stored[]> {
  const kept = new Set([...(await endQueued(transaction, completions)), ...(await requeue(transaction, completions))]);
  await finishAttempts(transaction, completions);
  const ours = completions.filter((completion) => kept.has(completion.claimed.id));
  await updateDeliveries(transaction, ours);
  const leases = await startNext(transaction, ours);
  await learnSecrets(transaction, ours);
  await noteFailures(transaction, ours);
  await wipeMarkedBodies(
    transaction,
    ours.filter(isEnded).map(({ claimed }) => claimed.id),
  );
  return completions.map(({ claimed, lease }): Stored => {
    if (!kept.has(claimed.id)) return { kind: "lost" };
    const attemptId = leases.get(claimed.id);
    return attemptId === undefined
      ? { kind: "stored" }
      : { kind: "continued", lease: { token: lease.token, attemptId } };
  });
}

function isEnded({ after }: Completion): boolean {
  return after.state === "delivered" || after.state === "failed";
}

async function endQueued(transaction: DatabaseTransaction, completions: readonly Completion[]): Promise<string[]> {
  const ended = completions.filter(isEnded);
  if (ended.length === 0) return [];
  const keys = sql.join(ended.map(({ claimed, lease }) => sql`(${claimed.id}, ${lease.token})`));
  const { rows } = await sql<{ delivery_id: string }>`
    delete from delivery_queue where (delivery_id, claim_token) in (values ${keys}) returning delivery_id`.execute(
    transaction,
  );
  return rows.map((row) => row.delivery_id);
}

/** For a later attempt, or, with the lease renewed, for the next request of this turn. */
async function requeue(transaction: DatabaseTransaction, completions: readonly Completion[]): Promise<string[]> {
  const kept: string[] = [];
  for (const { claimed, lease, at, after, result } of completions) {
    if (after.state !== "waiting" && after.state !== "sending") continue;
    const isWaiting = after.state === "waiting";
    const updated = await transaction
      .updateTable("delivery_queue")
      .set({
        attempt: after.attempt,
        due_at: isWaiting ? after.dueAt : at + leaseMilliseconds,
        claim_token: isWaiting ? null : lease.token,
        start_with: (isWaiting ? after.startWith : after.secret) ?? null,
        // Given back unsent by a shutdown, which must not count as a crash.
        ...(isWaiting && result === undefined && { claims: sql`claims - 1` }),
        // The URL may have changed since; the lane follows it from now on.
        ...(isWaiting && {
          host: sql`coalesce((select host from webhook where webhook.form_id = delivery_queue.form_id), host)`,
        }),
      })
      .where("delivery_id", "=", claimed.id)
      .where("claim_token", "=", lease.token)
      .executeTakeFirst();
    if (updated.numUpdatedRows > 0n) kept.push(claimed.id);
  }
  return kept;
}

async function finishAttempts(transaction: DatabaseTransaction, completions: readonly Completion[]): Promise<void> {
  const values = sql.join(
    completions.map(
      ({ lease, result }) =>
        sql`(cast(${lease.attemptId} as bigint), cast(${result?.durationMilliseconds ?? null} as bigint),
             cast(${result?.statusCode ?? null} as bigint), cast(${result === undefined ? "interrupted" : (result.error ?? null)} as text))`,
    ),
  );
  await sql`
    with ended(id, duration, status_code, error) as (values ${values})
    update attempt set duration = ended.duration, status_code = ended.status_code, error = ended.error
    from ended where attempt.id = ended.id`.execute(transaction);
}

/** The line of the log. An attempt that goes on with the other secret is not finished yet, nor is one that was cut short. */
async function updateDeliveries(transaction: DatabaseTransaction, ours: readonly Completion[]): Promise<void> {
  const lines = ours.flatMap(({ before, after, at, result }, index) => {
    const isFinished = result !== undefined && !(after.state === "sending" && after.request === "second");
    if (!isFinished && !(after.state === "delivered" || after.state === "failed")) return [];
    const attempts = after.state === "waiting" || after.state === "sending" ? before.attempt : after.attempts;
    const state = after.state === "sending" ? "waiting" : after.state;
    const finishedAt = after.state === "delivered" || after.state === "failed" ? after.at : null;
    const nextAttemptAt = after.state === "waiting" ? after.dueAt : after.state === "sending" ? at : null;
    const cut = after.state === "failed" && after.reason in errorOfReason ? after.reason : undefined;
    const error = cut === undefined ? result?.error : errorOfReason[cut as keyof typeof errorOfReason]; // just asked
    return sql`(cast(${ours[index]?.claimed.id} as text), cast(${state} as text), cast(${attempts} as bigint),
      cast(${finishedAt} as bigint), cast(${nextAttemptAt} as bigint), cast(${result?.statusCode ?? null} as bigint),
      cast(${error ?? null} as text), cast(${result?.durationMilliseconds ?? null} as bigint))`;
  });
  if (lines.length === 0) return;
  await sql`
    with line(id, state, attempts, finished_at, next_attempt_at, last_status, last_error, duration) as
      (values ${sql.join(lines)})
    update delivery set state = line.state, attempts = line.attempts, finished_at = line.finished_at,
      next_attempt_at = line.next_attempt_at, last_status = line.last_status, last_error = line.last_error,
      duration = line.duration
    from line where delivery.id = line.id`.execute(transaction);
}

/** The log rows of the requests that follow in the same turn. */
async function startNext(
  transaction: DatabaseTransaction,
  ours: readonly Completion[],
): Promise<ReadonlyMap<string, number>> {
  const leases = new Map<string, number>();
  for (const { claimed, after, at } of ours) {
    if (after.state !== "sending") continue;
    const { attempt: number, url, secret } = after;
    const { id } = await transaction
      .insertInto("attempt")
      .values({ delivery_id: claimed.id, number, started_at: at, url, secret_used: secret })
      .returning("id")
      .executeTakeFirstOrThrow();
    leases.set(claimed.id, id);
  }
  return leases;
}

/** A 2xx while two secrets are valid decides with which one the form's next deliveries begin. */
async function learnSecrets(transaction: DatabaseTransaction, ours: readonly Completion[]): Promise<void> {
  for (const { claimed, after } of ours) {
    const { formId, previousExpiresAt, signFirst } = claimed;
    if (after.state !== "delivered" || previousExpiresAt === null || after.accepted === signFirst) continue;
    await transaction
      .updateTable("webhook")
      .set({ sign_first: after.accepted })
      .where("form_id", "=", formId)
      // Names mean other secrets once the form has rotated again.
      .where("previous_expires_at", "=", previousExpiresAt)
      .execute();
  }
}

/** Since when a form's webhook accepts nothing, for the mail to its owner. Rows change when it begins and when it ends only. */
async function noteFailures(transaction: DatabaseTransaction, ours: readonly Completion[]): Promise<void> {
  const changes = new Map<string, number | null>();
  for (const { claimed, before, after, at, result } of ours) {
    if (after.state === "delivered") changes.set(claimed.formId, null);
    // A try that nobody knows the end of says nothing of the webhook, and a failed test is known to who made it.
    else if (after.state !== "sending" && result !== undefined && !before.isTest && !changes.has(claimed.formId))
      changes.set(claimed.formId, at);
  }
  if (changes.size === 0) return;
  const rows = await transaction
    .selectFrom("webhook")
    .select(["form_id", "failing_since"])
    .where(isOneOf(transaction, "form_id", [...changes.keys()]))
    // In one order, so that two processes never wait for each other in a circle.
    .orderBy("form_id")
    .execute();
  for (const { form_id, failing_since: known } of rows) {
    const failingSince = changes.get(form_id) ?? null;
    if ((failingSince === null) === (known === null)) continue;
    await transaction
      .updateTable("webhook")
      .set({ failing_since: failingSince })
      .where("form_id", "=", form_id)
      .execute();
  }
}
