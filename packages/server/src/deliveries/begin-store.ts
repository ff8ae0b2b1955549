import type { DeliveryId, FormId } from "@sealpost/wire";
import type { CompiledQuery } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { isOfForm } from "../database/form-scope.ts";
import { MissingSecretError } from "../instance/key-ring.ts";
import type { Sealer, SecretBox } from "../instance/secret-box.ts";
import { readBody } from "../outbox/event-body.ts";
import { wipeMarkedBodies } from "../outbox/queue-wipe.ts";
import { listValidSecrets, type StoredSecret } from "../webhooks/webhook-secrets.ts";
import type { ClaimedDelivery } from "./claim.ts";
import { type EndedDelivery, gapsMillisecondsMax, type Instant, next, type WaitingDelivery } from "./delivery.ts";
import { errorOfReason } from "./delivery-error.ts";
import type { QueueRow } from "./queue-claim.ts";
import type { Detail } from "./queue-details.ts";
import { compileAttempts, type StartedAttempt } from "./queue-finish.ts";
import { isLetInLater } from "./queue-let-in.ts";

/** Deliveries that are being sent from now on, and those that can't be. */
export interface Begun {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Deliveries that ended by being claimed: their URL is gone, or they were interrupted too often. */
  readonly ended: readonly EndedDelivery[];
  /** How many wait again for their next attempt, before which they were claimed to see whether their URL is gone. */
  readonly putBack: number;
  /** Ids of rows that can't be read, or whose secret does not open. They come again when their lease ends, until the limit of claims ends them. */
  readonly unreadable: readonly string[];
  /** Ids of rows whose secret is sealed with one of the instance that this process lacks. Another process has it, or this one soon will: they wait again, and the claim uses nothing up. */
  readonly locked: readonly string[];
}

/** The last statement of a transaction that claims, and what is made of its rows. */
export interface Beginning {
  readonly writeAttempts: CompiledQuery<StartedAttempt> | undefined;
  readonly read: (attempts: readonly StartedAttempt[]) => Begun;
}

export type BeginClaims = (
  transaction: DatabaseTransaction,
  claimed: { readonly rows: readonly QueueRow[]; readonly details: readonly Detail[] },
  token: string,
  now: Instant,
) => Promise<Beginning>;

/** Turns claimed rows into deliveries that are being sent, and ends those that can't be. */
export function createBeginClaims(secretBox: SecretBox): BeginClaims {
  const sealer = secretBox.sealer("webhooks");
  return async (transaction, { rows, details: found }, token, now) => {
    const details = new Map(found.map((detail) => [detail.id, detail]));
    const open = createOpener(sealer);
    const sendable: Omit<ClaimedDelivery, "lease">[] = [];
    const ended: EndedRow[] = [];
    const early: EarlyRow[] = [];
    const gone: QueueRow[] = [];
    const unreadable: string[] = [];
    const locked: LockedRow[] = [];
    for (const row of rows) {
      const detail = details.get(row.delivery_id);
      const begun = tryBegin(row, detail, now, open);
      if (begun === "unreadable") unreadable.push(row.delivery_id);
      else if (begun === "locked") locked.push({ row, destination: detail?.webhook_destination });
      // Rows of a form that is being deleted.
      else if (detail === undefined || begun === undefined) gone.push(row);
      else if (!("state" in begun)) sendable.push(begun);
      else if (begun.state === "waiting") early.push({ row, detail, delivery: begun });
      else ended.push({ row, delivery: begun });
    }
    await markInterrupted(transaction, rows);
    await endClaimed(transaction, ended, gone);
    await putBack(transaction, [...early.map(toWaiting), ...locked.map((one) => toUnlocked(one, now))], now);
    return {
      writeAttempts: compileAttempts(
        transaction,
        sendable.map((delivery) => ({ claimed: delivery, sending: delivery.sending, at: now })),
      ),
      read(attempts) {
        const attemptIds = new Map(attempts.map((row) => [row.delivery_id, row.id]));
        const deliveries = sendable.map((delivery) => ({
          ...delivery,
          lease: { token, attemptId: attemptIds.get(delivery.id) ?? Number.NaN, since: now },
        }));
        return {
          deliveries,
          ended: ended.map(({ delivery }) => delivery),
          putBack: early.length,
          unreadable,
          locked: locked.map(({ row }) => row.delivery_id),
        };
      },
    };
  };
}

type OpenSecret = (stored: StoredSecret, formId: string) => ClaimedDelivery["secrets"][number];

/** Opens each secret once for all deliveries of a claim. */
function createOpener(sealer: Sealer): OpenSecret {
  const opened = new Map<string, string>();
  return ({ id, sealed, expiresAt }, formId) => {
    const context = `webhook/${formId}`;
    // The key names the form: what is sealed for another one does not open.
    const key = `${context} ${sealed}`;
    const value = opened.get(key) ?? sealer.open(sealed, context);
    opened.set(key, value);
    return { id, isCurrent: expiresAt === undefined, value };
  };
}

type BegunDelivery = Omit<ClaimedDelivery, "lease"> | WaitingDelivery | EndedDelivery;

/** `undefined` where nothing is left to send. One row that can't be read, or does not open, must not keep all the others from being sent. */
function tryBegin(
  row: QueueRow,
  detail: Detail | undefined,
  now: Instant,
  open: OpenSecret,
): BegunDelivery | "unreadable" | "locked" | undefined {
  try {
    const body = detail && readBody(detail);
    return detail && body && beginOne(row, { ...detail, body }, now, open);
  } catch (error) {
    return error instanceof MissingSecretError ? "locked" : "unreadable";
  }
}

function beginOne(
  row: QueueRow,
  detail: Omit<Detail, "body"> & { readonly body: Uint8Array<ArrayBuffer> },
  now: Instant,
  open: OpenSecret,
): BegunDelivery {
  const { attempt, claims } = row;
  const [first, ...others] = listValidSecrets(detail, now);
  const after = next(
    {
      state: "waiting",
      isTest: detail.is_test === 1,
      attempt,
      dueAt: findDueAt(row, detail, now),
      claims,
      startWith: row.start_secret ?? undefined,
    },
    {
      ...{ kind: "claimed", at: now, claims, url: detail.url, redirects: detail.redirects },
      secrets: [first.id, ...others.map(({ id }) => id)],
    },
  );
  if (after?.state === "failed" || after?.state === "waiting") return after;
  if (after?.state !== "sending") throw new Error("A claimed delivery is not sent");
  const secrets = [open(first, detail.form_id), ...others.map((other) => open(other, detail.form_id))] as const;
  return {
    id: detail.id as DeliveryId, // written by recordEvents, as are the next two
    formId: detail.form_id as FormId,
    destination: row.destination,
    webhookDestination: detail.webhook_destination,
    webhookUrl: detail.url,
    kind: detail.kind,
    occurredAt: detail.occurred_at,
    createdAt: detail.created_at,
    body: detail.body,
    sending: after,
    secrets,
  };
}

/** When the attempt is due by its delivery's line of the log; later than any can be, it was written by a clock that was ahead, and is due now. */
function findDueAt(
  { attempt }: QueueRow,
  { next_attempt_at: at }: Pick<Detail, "next_attempt_at">,
  now: Instant,
): Instant {
  const latest = now + (gapsMillisecondsMax[attempt - 1] ?? 0);
  return attempt > 1 && at !== null && at <= latest ? at : now;
}

/** The attempts that nobody finished: their process died. They use up none of the six. */
async function markInterrupted(transaction: DatabaseTransaction, rows: readonly QueueRow[]): Promise<void> {
  const again = rows.filter(({ claims }) => claims > 1);
  if (again.length === 0) return;
  await transaction
    .updateTable("attempt")
    .set({ error: "interrupted" })
    .where(
      "form_id",
      "in",
      again.map(({ form_id }) => form_id),
    )
    .where(
      "delivery_id",
      "in",
      again.map(({ delivery_id }) => delivery_id),
    )
    .where("duration", "is", null)
    .where("error", "is", null)
    .execute();
}

/** A claimed row whose attempt is due later. */
interface EarlyRow {
  readonly row: QueueRow;
  readonly detail: Detail;
  readonly delivery: WaitingDelivery;
}

/** A claimed row that this process can't sign. */
interface LockedRow {
  readonly row: QueueRow;
  readonly destination: string | null | undefined;
}

/** A claimed row as it waits again. */
interface WaitingRow {
  readonly row: QueueRow;
  readonly destination: string | null | undefined;
  readonly delivery: Pick<WaitingDelivery, "attempt" | "dueAt" | "claims">;
}

/** Twice as long as until this process looks for new secrets. */
const lockedMilliseconds = 10_000;

function toWaiting({ row, detail, delivery }: EarlyRow): WaitingRow {
  return { row, destination: detail.webhook_destination, delivery };
}

function toUnlocked({ row, destination }: LockedRow, now: Instant): WaitingRow {
  const { attempt, claims } = row;
  return { row, destination, delivery: { attempt, dueAt: now + lockedMilliseconds, claims: claims - 1 } };
}

const requeue = createRowChange({
  table: "delivery_queue",
  set: { due_at: "bigint", claims: "bigint", is_waiting: "bigint", destination: "text", claim_token: "text" },
  key: { form_id: "text", delivery_id: "text" },
});

async function putBack(transaction: DatabaseTransaction, again: readonly WaitingRow[], now: Instant): Promise<void> {
  const lines = again.map(({ row, destination, delivery }) => [
    ...[delivery.dueAt, delivery.claims, isLetInLater(transaction, delivery, now) ? 1 : 0],
    ...[destination ?? row.destination, null, row.form_id, row.delivery_id],
  ]);
  const change = requeue(transaction, lines);
  if (change !== undefined) await transaction.executeQuery(change);
}

/** A claimed row whose delivery can't be sent, and how it ended. */
interface EndedRow {
  readonly row: QueueRow;
  readonly delivery: EndedDelivery;
}

const deleteQueued = createRowChange({ table: "delivery_queue", key: { form_id: "text", delivery_id: "text" } });

async function endClaimed(
  transaction: DatabaseTransaction,
  ended: readonly EndedRow[],
  gone: readonly QueueRow[],
): Promise<void> {
  const keyOf = ({ form_id, delivery_id }: QueueRow) => [form_id, delivery_id] as const;
  const endedKeys = ended.map(({ row }) => keyOf(row));
  const deleting = deleteQueued(transaction, [...endedKeys, ...gone.map(keyOf)]);
  if (deleting === undefined) return;
  await transaction.executeQuery(deleting);
  await wipeMarkedBodies(transaction, endedKeys);
  for (const { row, delivery } of ended) {
    if (delivery.state !== "failed") continue;
    await transaction
      .updateTable("delivery")
      .set({
        state: "failed",
        finished_at: delivery.at,
        next_attempt_at: null,
        last_error:
          delivery.reason in errorOfReason ? errorOfReason[delivery.reason as keyof typeof errorOfReason] : null, // just asked
      })
      .where(isOfForm(transaction, row.form_id))
      .where("id", "=", row.delivery_id)
      .execute();
  }
}
