import type { Clock } from "../time/clock.ts";
import type { WebhookClient } from "../webhooks/webhook-client.ts";
import type { WebhookOutcome } from "../webhooks/webhook-outcome.ts";
import { createWebhookRequest } from "../webhooks/webhook-request.ts";
import { hostOf } from "../webhooks/webhook-url.ts";
import type { ClaimedDelivery, Completion, Lease, Stored } from "./claim.ts";
import { next, type SendingDelivery } from "./delivery.ts";
import type { Lanes, Pace } from "./lanes.ts";
import { toEvent } from "./outcome-event.ts";

export interface TurnDependencies {
  readonly client: WebhookClient;
  readonly lanes: Lanes;
  readonly clock: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly version: string;
  readonly deadlineMilliseconds: number;
  /** Stores how a request ended. */
  readonly finish: (completion: Completion) => Promise<Stored>;
}

/** An answer that took longer than this makes its host a slow one. */
const slowMilliseconds = 5000;

/**
 * Sends a claimed delivery: one request, and at once those that follow from its answer (another connection, other secrets, redirects), each
 * stored before the next. The caller has entered the delivery's lane; it is left here.
 */
export async function sendTurn(claimed: ClaimedDelivery, signal: AbortSignal, turn: TurnDependencies): Promise<void> {
  const { clock, lanes, finish, random } = turn;
  // For all requests of an attempt together; a test is answered within it, whatever follows from its answers.
  let endsAt = performance.now() + turn.deadlineMilliseconds;
  let sending: SendingDelivery = claimed.sending;
  let lease: Lease = claimed.lease;
  let lane = claimed.host;
  for (let isInLane = true; ; isInLane = false) {
    const startedAt = clock.now();
    const left = Math.max(1, endsAt - performance.now());
    let outcome: WebhookOutcome = aborted;
    const waitsFrom = performance.now();
    if (isInLane || (await enterLane(lanes, lane, signal, left))) {
      // What it waited for its turn is not the receiver's doing.
      if (!sending.isTest) endsAt += performance.now() - waitsFrom;
      try {
        outcome = await sendOne(claimed, sending, left, signal, turn);
      } finally {
        lanes.leave(lane, paceOf(outcome, clock.now() - startedAt));
      }
    } else if (!signal.aborted) outcome = timedOut; // no room at a redirect's target within the time of a request
    const at = clock.now();
    const { event, result } = toEvent(outcome, { url: sending.url, startedAt, at, jitter: random() });
    const after = next(sending, event);
    if (after === undefined) return;
    const stored = await finish({ claimed, before: sending, lease, at, result, after });
    if (stored.kind !== "continued" || after.state !== "sending") return;
    if (after.attempt !== sending.attempt && !sending.isTest) endsAt = performance.now() + turn.deadlineMilliseconds;
    sending = after;
    lease = stored.lease;
    lane = hostOf(new URL(after.url));
  }
}

const aborted: WebhookOutcome = { kind: "aborted" };
const timedOut: WebhookOutcome = { kind: "unanswered", error: "timed_out" };

function enterLane(lanes: Lanes, host: string, signal: AbortSignal, milliseconds: number): Promise<boolean> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(milliseconds))]);
  return lanes.enterWhenFree(host, limited).then(
    () => true,
    () => false,
  );
}

async function sendOne(
  { id, kind, occurredAt, body, secrets }: ClaimedDelivery,
  { url, secrets: order, isFresh }: SendingDelivery,
  deadlineMilliseconds: number,
  signal: AbortSignal,
  { client, clock, version }: TurnDependencies,
): Promise<WebhookOutcome> {
  const values = order.flatMap((one) => secrets.find(({ id: known }) => known === one)?.value ?? []);
  const sentAt = clock.now();
  const request = createWebhookRequest({
    deliveryId: id,
    kind,
    occurredAt,
    body,
    url,
    secrets: values,
    sentAt,
    version,
  });
  return client.send(request, { signal, deadlineMilliseconds, isFresh });
}

function paceOf(outcome: WebhookOutcome, milliseconds: number): Pace | undefined {
  if (outcome.kind === "aborted") return undefined;
  if (outcome.kind === "unanswered" && outcome.error === "timed_out") return "slow";
  return milliseconds > slowMilliseconds ? "slow" : "quick";
}
