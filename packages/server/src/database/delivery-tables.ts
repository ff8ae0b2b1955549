import type { Generated } from "kysely";

export interface WebhookTable {
  form_id: string;
  url: string | null;
  /** `destinationOf` its URL and the form's organization. */
  destination: string | null;
  redirects: Generated<"post" | "get">;
  secret: string;
  /** JSON array of the earlier secrets that were valid at the last rotation, `{secret, expiresAt}` each; null: none were. */
  earlier_secrets: string | null;
  /** The id of the secret that was accepted last. */
  accepted_secret: string | null;
  /** Since when an organization that had the form before knows the current secret too; null: none does. */
  secret_known_since: number | null;
  /** Since when nothing was accepted; null while all is well. */
  failing_since: number | null;
  /** 1 while a developer's choice of the address is the last word on it. */
  by_developer: Generated<number>;
  /** The person who chose the address, or made the API key that did; null where there is no address. */
  set_by: string | null;
  /** The queued deliveries after this one are to be brought forward, so that they end without an address; null: none are. */
  ends_after: Generated<string | null>;
}

export interface EventTable {
  id: string;
  form_id: string;
  submission_id: string | null;
  kind: string;
  occurred_at: number;
  /** The exact bytes that are signed and sent; null if they are built from the submission's row, or once they were wiped with it. */
  body: Uint8Array | null;
  /** How the body is built from the row (`outbox/event-body.ts`); null where `body` holds it, and once it was wiped. */
  body_layout: number | null;
  /** The form's name when the event was recorded, for a body that is built. */
  form_name: string | null;
  /** 1: the submission was deleted while a delivery was still on its way; the body is wiped when the last one ends. */
  wipe: Generated<number>;
}

export interface DeliveryTable {
  id: string;
  event_id: string;
  form_id: string;
  is_test: number;
  state: "waiting" | "delivered" | "failed";
  attempts: number;
  created_at: number;
  finished_at: number | null;
  next_attempt_at: number | null;
  last_status: number | null;
  last_error: string | null;
  duration: number | null;
}

export interface DeliveryQueueTable {
  delivery_id: string;
  form_id: string;
  destination: string;
  attempt: number;
  due_at: number;
  claims: number;
  claim_token: string | null;
  /** The secret that the next attempt begins with, where the one before taught something. */
  start_secret: string | null;
  /** 1 while a later attempt waits for its time, until it is let in; never for a first one, nor on a cluster. */
  is_waiting: Generated<number>;
}

export interface AttemptTable {
  id: Generated<number>;
  /** Its delivery's. */
  form_id: string;
  delivery_id: string;
  number: number;
  started_at: number;
  duration: number | null;
  status_code: number | null;
  error: string | null;
  url: string;
  secret_used: "current" | "earlier";
}
