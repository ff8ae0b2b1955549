/** Milliseconds since the Unix epoch. */
export type Instant = number;

/** Which of a form's at most two valid webhook secrets; never its value. */
export type SecretName = "current" | "previous";

/**
 * One event on its way to one webhook URL. `attempt` counts from 1 to 6 (interface.md 3.1); an attempt is one request, or
 * two while two secrets are valid. `attempts` of an ended delivery is how many were made.
 */
export type Delivery = WaitingDelivery | SendingDelivery | EndedDelivery;

export interface WaitingDelivery {
  readonly state: "waiting";
  /** A test is sent in one turn, redirects and the other secret included, and never retried. */
  readonly isTest: boolean;
  readonly attempt: number;
  readonly dueAt: Instant;
  /** How often it was claimed: more often than it has attempts only if the process died while sending it. */
  readonly claims: number;
  /** The secret to begin with, where the attempt before taught something; otherwise the form's order holds. */
  readonly startWith: SecretName | undefined;
}

export interface SendingDelivery {
  readonly state: "sending";
  readonly isTest: boolean;
  readonly attempt: number;
  readonly claims: number;
  /** `second`: the same attempt once more, because the receiver refused the other secret. */
  readonly request: "first" | "second";
  readonly url: string;
  readonly secret: SecretName;
  /** The other secret, while two are valid. */
  readonly other: SecretName | undefined;
}

export type EndedDelivery =
  | { readonly state: "delivered"; readonly attempts: number; readonly at: Instant; readonly accepted: SecretName }
  | { readonly state: "failed"; readonly attempts: number; readonly at: Instant; readonly reason: FailureReason };

export type FailureReason =
  /** No attempt is left (a test has one turn only). */
  | "exhausted"
  /** The receiver answered 4xx other than 429: permanent. */
  | "refused"
  | "forbidden_address"
  | "url_removed"
  /** Claimed more than `claimsMax` times: it brings the process down, or is sent again and again. */
  | "interrupted_too_often"
  /** A test whose turn was cut short. */
  | "interrupted";

/** What happens to a delivery. Time and chance arrive here; `jitter` is at least 0 and below 1. */
export type DeliveryEvent =
  | {
      readonly kind: "claimed";
      readonly at: Instant;
      /** With this claim. */
      readonly claims: number;
      readonly url: string | null;
      /** The secret that the form's deliveries begin with, and whether another one is valid too. */
      readonly signFirst: SecretName;
      readonly twoSecrets: boolean;
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
  | { readonly kind: "address_forbidden"; readonly at: Instant }
  /** The turn ended without an outcome: the process died or was stopped. */
  | { readonly kind: "interrupted"; readonly at: Instant }
  | { readonly kind: "url_removed"; readonly at: Instant };

const minute = 60_000;
const hour = 60 * minute;

/** The gap before attempt 1, 2, … 6, counted from the end of the attempt before (interface.md 3.1). */
export const gapsMilliseconds: readonly number[] = [0, minute, 5 * minute, 30 * minute, 2 * hour, 24 * hour];
export const attemptsMax = gapsMilliseconds.length;
/** Gaps grow by up to a tenth, so that deliveries that failed together do not come back together. They never shrink. */
export const jitterMax = 0.1;
/** `Retry-After` lengthens a gap to at most this many times itself. */
const retryAfterFactorMax = 2;
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
      const { at, claims, url, signFirst, twoSecrets } = event;
      if (url === null) return { state: "failed", attempts, at, reason: "url_removed" };
      if (claims > claimsMax) return { state: "failed", attempts, at, reason: "interrupted_too_often" };
      if (delivery.isTest && claims > 1) return { state: "failed", attempts, at, reason: "interrupted" };
      const secret = twoSecrets ? (delivery.startWith ?? signFirst) : "current";
      const { isTest, attempt } = delivery;
      const other = twoSecrets ? otherThan(secret) : undefined;
      return { state: "sending", isTest, attempt, claims, request: "first", url, secret, other };
    }
    case "url_removed":
      return { state: "failed", attempts, at: event.at, reason: "url_removed" };
    case "responded":
    case "unanswered":
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
    case "unanswered":
      return retried(delivery, event, 0, undefined);
    case "address_forbidden":
      return { state: "failed", attempts: attempt, at: event.at, reason: "forbidden_address" };
    case "interrupted":
      if (isTest) return { state: "failed", attempts: attempt - 1, at: event.at, reason: "interrupted" };
      return { state: "waiting", isTest, attempt, dueAt: event.at, claims, startWith: delivery.secret };
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
  const { attempt, secret, other, request } = delivery;
  const { at, statusCode, redirectTo } = event;
  const status = Math.floor(statusCode / 100);
  if (status === 2) return { state: "delivered", attempts: attempt, at, accepted: secret };
  if (status === 3 && redirectTo !== undefined) {
    if (attempt >= attemptsMax) return { state: "failed", attempts: attempt, at, reason: "exhausted" };
    // With the secret that came this far; a hop is an attempt, so the other one may be tried there too.
    return { ...delivery, attempt: attempt + 1, request: "first", url: redirectTo };
  }
  if ((statusCode === 400 || statusCode === 401 || statusCode === 403) && other !== undefined && request === "first")
    return { ...delivery, request: "second", secret: other, other: secret };
  if (status === 4 && statusCode !== 429) return { state: "failed", attempts: attempt, at, reason: "refused" };
  const retryAfter = statusCode === 429 || statusCode === 503 ? (event.retryAfterMilliseconds ?? 0) : 0;
  // Some receivers answer a signature that they can't verify with 500. A secret refused in this attempt isn't worth it.
  const startWith = status === 5 && other !== undefined ? (request === "first" ? other : secret) : undefined;
  return retried(delivery, event, retryAfter, startWith);
}

function retried(
  { isTest, attempt, claims }: SendingDelivery,
  { at, jitter }: { readonly at: Instant; readonly jitter: number },
  retryAfterMilliseconds: number,
  startWith: SecretName | undefined,
): Delivery {
  const gap = gapsMilliseconds[attempt];
  if (isTest || gap === undefined) return { state: "failed", attempts: attempt, at, reason: "exhausted" };
  const asked = Math.min(Math.max(gap, retryAfterMilliseconds), gap * retryAfterFactorMax);
  const dueAt = at + asked + Math.floor(asked * jitterMax * jitter);
  return { state: "waiting", isTest, attempt: attempt + 1, dueAt, claims, startWith };
}

function otherThan(secret: SecretName): SecretName {
  return secret === "current" ? "previous" : "current";
}
