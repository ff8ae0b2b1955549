import type { SecretId } from "../webhooks/webhook-secrets.ts";

/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** The valid secrets of a form, at least one, in the order in which they are tried. */
export type SecretOrder = readonly [SecretId, ...SecretId[]];

/**
 * One event on its way to one webhook URL. `attempt` counts from 1 to 6 (contract, section 9.4); an attempt is one request, or
 * one for each secret while several are valid, and one more after a kept connection turned out to be closed. `attempts` of an ended delivery is how many were made.
 */
export type Delivery = WaitingDelivery | SendingDelivery | EndedDelivery;

export interface WaitingDelivery {
  readonly state: "waiting";
  /** A test is sent in one turn, redirects and the other secrets included, and never retried. */
  readonly isTest: boolean;
  readonly attempt: number;
  readonly dueAt: Instant;
  /** How often it was claimed: more often than it has attempts only if the process died while sending it. */
  readonly claims: number;
  /** The secret to begin with, where the attempt before taught something; otherwise the form's order holds. */
  readonly startWith: SecretId | undefined;
}

export interface SendingDelivery {
  readonly state: "sending";
  readonly isTest: boolean;
  readonly attempt: number;
  readonly claims: number;
  readonly url: string;
  /** The one that this request is signed with, then those that follow in turn. */
  readonly secrets: SecretOrder;
  /** How many secrets the receiver has refused in this attempt. */
  readonly refused: number;
  /** In this attempt a kept connection was closed before an answer came: what follows of it goes out on fresh ones. */
  readonly isFresh: boolean;
  /** How the form wants a 302 or 303 to be followed. */
  readonly redirects: RedirectChoice;
  /**
   * The event itself; the event once more, at the target of a 302 or 303; or, without the event, the page that such an answer named: then
   * the receiver has taken the event.
   */
  readonly request: "event" | "event_at_target" | "page";
}

export type RedirectChoice = "post" | "get";

export type EndedDelivery =
  | { readonly state: "delivered"; readonly attempts: number; readonly at: Instant; readonly accepted: SecretId }
  | { readonly state: "failed"; readonly attempts: number; readonly at: Instant; readonly reason: FailureReason };

export type FailureReason =
  /** No attempt is left (a test has one turn only). */
  | "exhausted"
  /** The receiver answered 4xx other than 429: permanent. */
  | "refused"
  | "url_removed"
  /** Claimed more than `claimsMax` times: it brings the process down, or is sent again and again. */
  | "interrupted_too_often"
  /** A test whose turn was cut short. */
  | "interrupted";

/** Events of a delivery. Time and chance arrive here; `jitter` is at least 0 and below 1. */
export type DeliveryEvent =
  | {
      readonly kind: "claimed";
      readonly at: Instant;
      /** This claim included. */
      readonly claims: number;
      readonly url: string | null;
      readonly redirects: RedirectChoice;
      /** In the form's order. */
      readonly secrets: SecretOrder;
    }
  | {
      readonly kind: "responded";
      readonly at: Instant;
      readonly statusCode: number;
      readonly retryAfterMilliseconds: number | undefined;
      /** The absolute HTTPS URL of a usable `Location`. */
      readonly redirectTo: string | undefined;
      readonly jitter: number;
    }
  /** Time-out, DNS failure, refused, reset, TLS failure, malformed or incomplete answer. */
  | { readonly kind: "unanswered"; readonly at: Instant; readonly jitter: number }
  /** A kept connection was closed before an answer came, and something of the request had gone out. */
  | { readonly kind: "kept_connection_closed"; readonly at: Instant; readonly jitter: number }
  /** By the networks that are open now, which may be others at the next attempt. */
  | { readonly kind: "address_forbidden"; readonly at: Instant; readonly jitter: number }
  /** The turn ended without an outcome: the process died or was stopped. */
  | { readonly kind: "interrupted"; readonly at: Instant }
  | { readonly kind: "url_removed"; readonly at: Instant };

const minute = 60_000;
const hour = 60 * minute;

/** The gap before attempt 1, 2, … 6, counted from the end of the attempt before (contract, section 9.4). */
export const gapsMilliseconds: readonly number[] = [0, minute, 5 * minute, 30 * minute, 2 * hour, 24 * hour];
export const attemptsMax = gapsMilliseconds.length;
/** Gaps grow by up to a tenth, so that deliveries that failed together do not come back together. They never shrink. */
export const jitterMax = 0.1;
/** `Retry-After` lengthens a gap to at most this many times itself. */
const retryAfterFactorMax = 2;
/** The longest that the gap before attempt 1, 2, … 6 may become. */
export const gapsMillisecondsMax = gapsMilliseconds.map((gap) => gap * retryAfterFactorMax * (1 + jitterMax));
/** No attempt is due later than this after the one before. */
export const gapMillisecondsMax = gapsMillisecondsMax.at(-1) ?? 0;
/** Six attempts and as many interruptions. */
export const claimsMax = 12;

/** The delivery after `event`, or `undefined` when the event means nothing in this state (a late reply, say). */
export function next(delivery: Delivery, event: DeliveryEvent): Delivery | undefined {
  switch (delivery.state) {
    case "waiting":
      return nextOfWaiting(delivery, event);
    case "sending":
      return nextOfSending(delivery, event);
    case "delivered":
    case "failed":
      return undefined;
  }
  delivery satisfies never;
}

function nextOfWaiting(delivery: WaitingDelivery, event: DeliveryEvent): Delivery | undefined {
  const attempts = delivery.attempt - 1;
  switch (event.kind) {
    case "claimed": {
      const { at, claims, url, redirects } = event;
      if (url === null) return { state: "failed", attempts, at, reason: "url_removed" };
      // Brought forward since the address was gone, and it is there again: it has its whole schedule left.
      if (delivery.dueAt > at) return { ...delivery, claims: claims - 1 };
      if (claims > claimsMax) return { state: "failed", attempts, at, reason: "interrupted_too_often" };
      if (delivery.isTest && claims > 1) return { state: "failed", attempts, at, reason: "interrupted" };
      const { isTest, attempt, startWith } = delivery;
      const secrets = turn(event.secrets, startWith === undefined ? 0 : event.secrets.indexOf(startWith));
      const fresh = { refused: 0, isFresh: false, redirects, request: "event" } as const;
      return { state: "sending", isTest, attempt, claims, url, secrets, ...fresh };
    }
    case "url_removed":
      return { state: "failed", attempts, at: event.at, reason: "url_removed" };
    case "responded":
    case "unanswered":
    case "kept_connection_closed":
    case "address_forbidden":
    case "interrupted":
      return undefined;
  }
  event satisfies never;
}

function nextOfSending(delivery: SendingDelivery, event: DeliveryEvent): Delivery | undefined {
  const { isTest, attempt, claims } = delivery;
  switch (event.kind) {
    case "responded":
      return nextOfAnswered(delivery, event);
    case "kept_connection_closed":
      // Once: on a fresh connection the receiver is there, or it is a failed attempt.
      if (!delivery.isFresh) return { ...delivery, isFresh: true };
      return retried(delivery, event, 0, unrefused(delivery));
    case "unanswered":
    // Not permanent: an instance that was restored or moved may lack a network until its operator opens that, and asking again reaches nothing.
    case "address_forbidden":
      return retried(delivery, event, 0, unrefused(delivery));
    case "interrupted":
      if (isTest) return { state: "failed", attempts: attempt - 1, at: event.at, reason: "interrupted" };
      return { state: "waiting", isTest, attempt, dueAt: event.at, claims, startWith: delivery.secrets[0] };
    case "url_removed":
      return { state: "failed", attempts: attempt - 1, at: event.at, reason: "url_removed" };
    case "claimed":
      return undefined;
  }
  event satisfies never;
}

function nextOfAnswered(
  delivery: SendingDelivery,
  event: Extract<DeliveryEvent, { kind: "responded" }>,
): Delivery | undefined {
  const { attempt, secrets, refused } = delivery;
  const { at, statusCode, redirectTo } = event;
  const status = Math.floor(statusCode / 100);
  if (status === 2) return { state: "delivered", attempts: attempt, at, accepted: secrets[0] };
  if (status === 3 && redirectTo !== undefined) {
    if (attempt >= attemptsMax) return { state: "failed", attempts: attempt, at, reason: "exhausted" };
    // Keeps the secret that came this far; a hop is an attempt, so the others may be tried there too.
    const request = followingRequest(delivery, statusCode);
    return { ...delivery, attempt: attempt + 1, refused: 0, isFresh: false, url: redirectTo, request };
  }
  // Nobody looks at a signature on the page that follows.
  const isLast = refused + 1 >= secrets.length || delivery.request === "page";
  if ((statusCode === 400 || statusCode === 401 || statusCode === 403) && !isLast)
    return { ...delivery, secrets: turn(secrets, 1), refused: refused + 1 };
  if (status === 4 && statusCode !== 429) return { state: "failed", attempts: attempt, at, reason: "refused" };
  const retryAfter = statusCode === 429 || statusCode === 503 ? (event.retryAfterMilliseconds ?? 0) : 0;
  // Some receivers answer a signature that they can't verify with 500. A secret refused in this attempt isn't worth it.
  const startWith = status === 5 && !isLast ? turn(secrets, 1)[0] : unrefused(delivery);
  return retried(delivery, event, retryAfter, startWith);
}

/** As browsers do, a page is asked for after any redirect that follows it; 301, 307 and 308 repeat what was asked (RFC 9110, section 15.4). */
function followingRequest({ request, redirects }: SendingDelivery, statusCode: number): SendingDelivery["request"] {
  if (request === "page") return "page";
  if (statusCode !== 302 && statusCode !== 303) return "event";
  return redirects === "get" ? "page" : "event_at_target";
}

function retried(
  { isTest, attempt, claims }: SendingDelivery,
  { at, jitter }: { readonly at: Instant; readonly jitter: number },
  retryAfterMilliseconds: number,
  startWith: SecretId | undefined,
): Delivery {
  const gap = gapsMilliseconds[attempt];
  if (isTest || gap === undefined) return { state: "failed", attempts: attempt, at, reason: "exhausted" };
  const asked = Math.min(Math.max(gap, retryAfterMilliseconds), gap * retryAfterFactorMax);
  const dueAt = at + asked + Math.floor(asked * jitterMax * jitter);
  return { state: "waiting", isTest, attempt: attempt + 1, dueAt, claims, startWith };
}

/** The secret of this request, if others were refused before it in the same attempt: they aren't worth another try first. */
function unrefused({ secrets, refused }: SendingDelivery): SecretId | undefined {
  return refused > 0 ? secrets[0] : undefined;
}

/** The same secrets in the same round, beginning with the one at `index`; unchanged if there is none. */
function turn(secrets: SecretOrder, index: number): SecretOrder {
  const [first = secrets[0], ...rest] = index > 0 ? [...secrets.slice(index), ...secrets.slice(0, index)] : secrets;
  return [first, ...rest];
}
