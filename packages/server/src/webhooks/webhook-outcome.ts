export type UnansweredError =
  | "timed_out"
  | "name_not_resolved"
  | "could_not_connect"
  | "connection_closed"
  | "tls_failed"
  | "malformed_answer";

/** How one webhook request ended. */
export type WebhookOutcome =
  /** An answer, at least its headers; a 2xx that has ended within the deadline. Nothing of its body is kept. */
  | {
      readonly kind: "responded";
      readonly statusCode: number;
      readonly retryAfter: string | undefined;
      readonly location: string | undefined;
    }
  | { readonly kind: "unanswered"; readonly error: UnansweredError }
  /**
   * A kept connection was closed after the request had begun to go out on it, and before a byte of an answer: the receiver
   * may have seen the request, or closed the connection while it was idle. On a fresh one it may well be answered.
   */
  | { readonly kind: "kept_connection_closed" }
  | { readonly kind: "address_forbidden" }
  /** The sender gave up; nobody knows whether the receiver has seen it. */
  | { readonly kind: "aborted" };

export const timedOut = "timed_out";

/** The outcome of a request that was ended through its signal: its deadline has passed, or its sender gave up. */
export function outcomeOfAbort(signal: AbortSignal): WebhookOutcome {
  return signal.reason === timedOut ? { kind: "unanswered", error: timedOut } : { kind: "aborted" };
}
