import { randomUUID } from "node:crypto";
import type { DeliveryId, FormId } from "@sealpost/wire";
import { sql } from "kysely";
import { createRowChange } from "../database/change-rows.ts";
import type { Database, DatabaseTransaction } from "../database/database.ts";
import { formsOfAttempts, isOfForm } from "../database/form-scope.ts";
import { lockForms } from "../database/lock.ts";
import { findWorkers } from "../database/workers.ts";
import type { SecretBox } from "../instance/secret-box.ts";
import type { NewEvent } from "../outbox/event.ts";
import { readBody } from "../outbox/event-body.ts";
import { wipeMarkedBodies } from "../outbox/queue-wipe.ts";
import { recordEvents } from "../outbox/record-events.ts";
import { listValidSecrets, type StoredSecret } from "../webhooks/webhook-secrets.ts";
import { type ClaimedDelivery, type EndedRequest, leaseMilliseconds, type Stored } from "./claim.ts";
import { type EndedDelivery, type Instant, next } from "./delivery.ts";
import { errorOfReason } from "./delivery-error.ts";
import { type ClaimPlan, type ClaimScope, claimRows, planClaims, type QueueRow, queueColumns } from "./queue-claim.ts";
import { compileDetails, type Detail } from "./queue-details.ts";
import { compileAttempts, storeCompletions } from "./queue-finish.ts";
import { settleReachable } from "./settle-reachable.ts";

export interface Claim {
  readonly deliveries: readonly ClaimedDelivery[];
  /** Deliveries that ended by being claimed: their URL is gone, or they were interrupted too often. */
  readonly ended: readonly EndedDelivery[];
  /** Ids of rows whose secret does not open. They come again when their lease ends, until the limit of claims ends them. */
  readonly unreadable: readonly string[];
  /** The host that was served last; the next walk begins after it. */
  readonly lastHost: string;
  /** Something was due, and another process was just taking all of it: after it more may be due. */
  readonly contended: boolean;
}

export interface SettledAndClaimed {
  /** In the order of the completions. */
  readonly stored: readonly Stored[];
  readonly claim: Claim | undefined;
}

/** The queue of deliveries: what is due, who sends it, how it continued. */
export interface DeliveryStore {
  /** One transaction's worth where another thread runs it, so that this one has something to send meanwhile; else all there is. */
  readonly completionsMax?: number;
  /**
   * Stores how requests ended and then claims what is due, in one transaction: a commit waits for the disk, and a process that has
   * something to store has room for something to claim. Without a scope nothing is claimed. With nothing to store or claim
   * there is no transaction.
   */
  settleAndClaim(completions: readonly EndedRequest[], scope: ClaimScope | undefined): Promise<SettledAndClaimed>;
  /** Writes test events and claims their deliveries in the same transaction: the caller sends them itself. */
  claimNew(event: NewEvent, now: Instant): Promise<ClaimedDelivery | undefined>;
  /** When the next row is due, claimed ones included. */
  findNextDue(): Promise<Instant | undefined>;
  /** Makes every claimed row due at once: only for the one process that has the database to itself, when it starts. */
  releaseAll(now: Instant): Promise<void>;
}

const noPlan: ClaimPlan = { grants: [], lastHost: "" };

export function createDeliveryStore(database: Database, secretBox: SecretBox): DeliveryStore {
  return {
    settleAndClaim(completions, scope) {
      const workers = findWorkers(database);
      return workers === undefined
        ? settleAndClaim(completions, scope)
        : settleReachable(workers, completions, (reachable) => settleAndClaim(reachable, scope));
    },

    claimNew: (event, now) =>
      database.transaction().execute(async (transaction) => {
        await lockForms(transaction, [event.formId], "for key share");
        const [id] = await recordEvents(transaction, [event]);
        if (id === undefined) return undefined;
        const token = randomUUID();
        const rows = await transaction
          .updateTable("delivery_queue")
          .set({ claim_token: token, claims: 1, due_at: now + leaseMilliseconds })
          .where("form_id", "=", event.formId)
          .where("delivery_id", "=", id)
          .returning(queueColumns)
          .execute();
        const { rows: details } = await transaction.executeQuery(
          compileDetails(transaction, token, now, [event.formId]),
        );
        const { deliveries } = await begin(transaction, rows, details, token, now);
        return deliveries[0];
      }),

    async findNextDue() {
      // Those that do not answer cannot say it: it is looked for again and again.
      if (findWorkers(database)?.listAway().length) return undefined;
      const row = await database
        .selectFrom("delivery_queue")
        .select("due_at")
        .orderBy("due_at")
        .limit(1)
        .executeTakeFirst();
      return row?.due_at;
    },

    async releaseAll(now) {
      await database
        .updateTable("delivery_queue")
        .set({ claim_token: null, due_at: sql`case when due_at > ${now} then cast(${now} as bigint) else due_at end` })
        .where("claim_token", "is not", null)
        .execute();
    },
  };

  function settleAndClaim(
    completions: readonly EndedRequest[],
    scope: ClaimScope | undefined,
  ): Promise<SettledAndClaimed> {
    return database.connection().execute(async (connection) => {
      const plan = scope === undefined ? noPlan : await planClaims(connection, scope);
      const { grants, lastHost } = plan;
      const nothing = { deliveries: [], ended: [], unreadable: [], lastHost, contended: false };
      if (completions.length === 0 && grants.length === 0) return { stored: [], claim: scope && nothing };
      return connection.transaction().execute(async (transaction) => {
        const stored = completions.length === 0 ? [] : await storeCompletions(transaction, completions);
        if (scope === undefined || grants.length === 0) return { stored, claim: scope && nothing };
        const token = randomUUID();
        const { rows, details } = await claimRows(transaction, token, scope, grants);
        const begun = await begin(transaction, rows, details, token, scope.now);
        return { stored, claim: { ...begun, lastHost, contended: rows.length === 0 } };
      });
    });
  }

  /** Turns claimed rows into deliveries that are being sent, and ends those that can't be. */
  async function begin(
    transaction: DatabaseTransaction,
    rows: readonly QueueRow[],
    foundDetails: readonly Detail[],
    token: string,
    now: Instant,
  ): Promise<Omit<Claim, "lastHost" | "contended">> {
    if (rows.length === 0) return { deliveries: [], ended: [], unreadable: [] };
    const details = new Map(foundDetails.map((detail) => [detail.id, detail]));
    const sendable: Omit<ClaimedDelivery, "lease">[] = [];
    const ended: EndedRow[] = [];
    const gone: QueueRow[] = [];
    const unreadable: string[] = [];
    for (const row of rows) {
      const detail = details.get(row.delivery_id);
      const body = detail && readBody(detail);
      // Rows of a form that is being deleted.
      if (detail === undefined || body === undefined) gone.push(row);
      else {
        const begun = beginOne(row, { ...detail, body }, now);
        if (begun === undefined) unreadable.push(row.delivery_id);
        else if ("state" in begun) ended.push({ row, delivery: begun });
        else sendable.push(begun);
      }
    }
    await markInterrupted(transaction, rows);
    await endClaimed(transaction, ended, gone);
    const started = compileAttempts(
      transaction,
      sendable.map((delivery) => ({ claimed: delivery, sending: delivery.sending, at: now })),
    );
    const attempts = started === undefined ? [] : (await transaction.executeQuery(started)).rows;
    const attemptIds = new Map(attempts.map((row) => [row.delivery_id, row.id]));
    const deliveries = sendable.map((delivery) => ({
      ...delivery,
      lease: { token, attemptId: attemptIds.get(delivery.id) ?? Number.NaN },
    }));
    return { deliveries, ended: ended.map(({ delivery }) => delivery), unreadable };
  }

  function beginOne(
    row: QueueRow,
    detail: Omit<Detail, "body"> & { readonly body: Uint8Array<ArrayBuffer> },
    now: Instant,
  ): Omit<ClaimedDelivery, "lease"> | EndedDelivery | undefined {
    const { attempt, claims } = row;
    const [first, ...others] = listValidSecrets(detail, now);
    const after = next(
      {
        state: "waiting",
        isTest: detail.is_test === 1,
        attempt,
        dueAt: now,
        claims,
        // An older version names it by its place.
        startWith: row.start_secret ?? [first, ...others].find(({ place }) => place === row.start_with)?.id,
      },
      { kind: "claimed", at: now, claims, url: detail.url, secrets: [first.id, ...others.map(({ id }) => id)] },
    );
    if (after?.state === "failed") return after;
    const secrets = openSecrets([first, ...others], detail.form_id);
    if (after?.state !== "sending" || secrets === undefined) return undefined;
    return {
      id: detail.id as DeliveryId, // written by recordEvents, as are the next two
      formId: detail.form_id as FormId,
      host: row.host,
      kind: detail.kind,
      occurredAt: detail.occurred_at,
      createdAt: detail.created_at,
      body: detail.body,
      sending: after,
      secrets,
    };
  }

  /** One row that does not open must not keep all the others from being sent. */
  function openSecrets(
    [first, ...others]: readonly [StoredSecret, ...StoredSecret[]],
    formId: string,
  ): ClaimedDelivery["secrets"] | undefined {
    const open = ({ id, sealed, place }: StoredSecret) => ({
      id,
      place,
      value: secretBox.open(sealed, `webhook/${formId}`),
    });
    try {
      return [open(first), ...others.map(open)];
    } catch {
      return undefined;
    }
  }
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
      formsOfAttempts(
        transaction,
        again.map(({ form_id }) => form_id),
      ),
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
