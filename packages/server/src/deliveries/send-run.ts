import type { Clock } from "../time/clock.ts";
import { destinationOf, partsOf } from "../webhooks/destination.ts";
import type { WebhookClient } from "../webhooks/webhook-client.ts";
import type { WebhookOutcome } from "../webhooks/webhook-outcome.ts";
import { createPageRequest, createWebhookRequest } from "../webhooks/webhook-request.ts";
import { type ClaimedDelivery, type Completion, type Lease, mayBegin, type Stored } from "./claim.ts";
import { next, type SendingDelivery } from "./delivery.ts";
import type { DestinationLimits } from "./destination-limits.ts";
import type { Pace } from "./destination-room.ts";
import { toEvent } from "./outcome-event.ts";

export interface SendRunDependencies {
  readonly client: WebhookClient;
  readonly destinationLimits: DestinationLimits;
  readonly clock: Clock;
  /** The time in signatures. */
  readonly timeOfDay: Clock;
  /** At least 0, below 1. */
  readonly random: () => number;
  readonly version: string;
  readonly deadlineMilliseconds: number;
  /** Whether a redirect to this URL is followed; each is, if it is not given. */
  readonly mayFollow?: (url: string) => Promise<boolean>;
  /** Stores how a request ended. */
  readonly finish: (completion: Completion) => Promise<Stored>;
}

/** An answer that took longer than this makes its destination a slow one. */
const slowMilliseconds = 5000;

/**
 * Sends a claimed delivery: one request, and at once those that follow from its answer (another connection, other secrets, redirects), each
 * stored before the next. What may not begin any more under its lease is given back. The caller has counted the request for the delivery's
 * destination; it is released here.
 */
export async function sendRun(claimed: ClaimedDelivery, signal: AbortSignal, turn: SendRunDependencies): Promise<void> {
  const { clock, destinationLimits, finish, random } = turn;
  // For all requests of an attempt together; a test is answered within it, whatever follows from its answers.
  let endsAt = performance.now() + turn.deadlineMilliseconds;
  let sending: SendingDelivery = claimed.sending;
  let lease: Lease = claimed.lease;
  let destination = claimed.destination;
  const { host: firstHost, organizationId } = partsOf(destination);
  const counted = new Set([firstHost]);
  for (let isCounted = true; ; isCounted = false) {
    const startedAt = clock.now();
    const left = Math.max(1, endsAt - performance.now());
    let outcome: WebhookOutcome = aborted;
    let isUnsent = false;
    const waitsFrom = performance.now();
    const isLet = isCounted || (await isFollowed(sending.url, partsOf(destination).host, counted, turn));
    if (isCounted || (isLet && (await waitForRoom(destinationLimits, destination, signal, left)))) {
      // The time it waited for a place is not the receiver's doing.
      if (!sending.isTest) endsAt += performance.now() - waitsFrom;
      try {
        isUnsent = !mayBegin(lease, clock.now());
        if (!isUnsent) outcome = await sendOne(claimed, sending, left, signal, turn);
      } finally {
        destinationLimits.leave(destination, paceOf(outcome, clock.now() - startedAt), isCounted && isRetry(claimed));
      }
    } else if (!signal.aborted) outcome = timedOut; // no room at a redirect's target
    const at = clock.now();
    const { event, result } = toEvent(outcome, {
      url: sending.url,
      request: sending.request,
      startedAt,
      at,
      jitter: random(),
    });
    const after = next(sending, event);
    if (after === undefined) return;
    const stored = await finish({ claimed, before: sending, lease, at, result, isUnsent, after });
    if (stored.kind !== "continued" || after.state !== "sending") return;
    if (after.attempt !== sending.attempt && !sending.isTest) endsAt = performance.now() + turn.deadlineMilliseconds;
    sending = after;
    lease = stored.lease;
    destination = destinationOf(new URL(after.url), organizationId);
  }
}

/** Whether a host that a redirect leads to may be asked; each is counted once. */
async function isFollowed(
  url: string,
  host: string,
  counted: Set<string>,
  { mayFollow }: SendRunDependencies,
): Promise<boolean> {
  if (mayFollow === undefined || counted.has(host)) return true;
  counted.add(host);
  return mayFollow(url);
}

/** Gives a delivery back that was claimed, and nothing of it sent. */
export async function giveBack(claimed: ClaimedDelivery, { clock, finish }: SendRunDependencies): Promise<void> {
  const { sending, lease } = claimed;
  const at = clock.now();
  const after = next(sending, { kind: "interrupted", at });
  if (after !== undefined)
    await finish({ claimed, before: sending, lease, at, result: undefined, isUnsent: true, after });
}

export function isRetry({ sending }: ClaimedDelivery): boolean {
  return sending.attempt > 1;
}

const aborted: WebhookOutcome = { kind: "aborted" };
const timedOut: WebhookOutcome = { kind: "unanswered", error: "timed_out" };

function waitForRoom(
  destinationLimits: DestinationLimits,
  destination: string,
  signal: AbortSignal,
  milliseconds: number,
): Promise<boolean> {
  const limited = AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(milliseconds))]);
  return destinationLimits.enterWhenFree(destination, limited).then(
    () => true,
    () => false,
  );
}

async function sendOne(
  { id, kind, occurredAt, body, secrets }: ClaimedDelivery,
  { url, secrets: order, isFresh, request: what }: SendingDelivery,
  deadlineMilliseconds: number,
  signal: AbortSignal,
  { client, timeOfDay, version }: SendRunDependencies,
): Promise<WebhookOutcome> {
  const values = order.flatMap((one) => secrets.find(({ id: known }) => known === one)?.value ?? []);
  const sentAt = timeOfDay.now();
  if (what === "page") return client.send(createPageRequest(url, version), { signal, deadlineMilliseconds, isFresh });
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
