import type { SqlWords } from "./sql-words.ts";

/** Webhooks, events, and their deliveries. */
export function printDeliveryTables({ bytes, byBytes, counter, counterKey, withForm }: SqlWords): string {
  return `
create table webhook (
  form_id text primary key,
  url text,
  -- Organization and host:port: the key of limits and of the queue (docs/decisions/0045-destinations.md).
  destination text,
  -- How a 302 or 303 is followed: as the event it answered, or by asking for the page that it names.
  redirects text default 'post' not null check (redirects in ('post', 'get')),
  secret text not null,
  -- JSON: [{"secret", "expiresAt"}].
  earlier_secrets text,
  accepted_secret text,
  -- Since when an organization that had the form before knows the secret; null: none does.
  secret_known_since bigint,
  failing_since bigint,
  -- 1 while a developer chose the address, and nobody who may read the form's submissions has agreed to it since.
  by_developer integer default 0 not null,
  -- The person who chose the address, or made the API key that did.
  set_by text,
  -- Deliveries after this one are still to be ended, since the address is gone.
  ends_after text
);
create index webhook_set_by on webhook (set_by);
create index webhook_ending on webhook (form_id) where ends_after is not null;

create table event (
  id text not null,
  form_id text not null,
  submission_id text,
  kind text not null,
  occurred_at bigint not null,
  body ${bytes},
  -- For a body that is built from the submission's row (docs/decisions/0017-bodies-from-rows.md).
  body_layout integer,
  form_name text,
  wipe integer default 0 not null,
  constraint event_primary primary key (id${withForm})
);
create index event_submission on event (form_id, submission_id);
-- Bodies of submissions that were deleted while a delivery is due.
create index event_kept on event (form_id) where kind = 'submission.created' and body is not null;

create table delivery (
  id text not null,
  event_id text not null,
  form_id text not null,
  is_test integer not null,
  state text not null,
  attempts integer not null,
  created_at bigint not null,
  finished_at bigint,
  next_attempt_at bigint,
  last_status integer,
  last_error text,
  duration integer,
  constraint delivery_primary primary key (id${withForm})
);
create index delivery_log on delivery (form_id, created_at, id);
-- A delivery comes in with its first attempt that failed, and leaves when one succeeds: one that succeeds at once is never in it.
create index delivery_failed on delivery (form_id, created_at, id)
  where state <> 'delivered' and (attempts > 0 or finished_at is not null);
create index delivery_event on delivery (event_id);
create index delivery_finished on delivery (finished_at);

create table delivery_queue (
  delivery_id text not null,
  form_id text not null,
  destination text${byBytes} not null,
  attempt integer not null,
  due_at bigint not null,
  claims integer not null,
  claim_token text,
  start_secret text,
  -- 1 while a later attempt waits for its time; claims walk along the others alone (docs/decisions/0045-destinations.md).
  is_waiting integer default 0 not null,
  constraint delivery_queue_primary primary key (delivery_id${withForm})
);
create index delivery_queue_destination on delivery_queue (destination, due_at, delivery_id) where is_waiting = 0;
create index delivery_queue_first on delivery_queue (destination, due_at) where attempt = 1;
create index delivery_queue_waiting on delivery_queue (due_at) where is_waiting = 1;
create index delivery_queue_due on delivery_queue (due_at);
create index delivery_queue_form on delivery_queue (form_id, delivery_id);

create table attempt (
  id ${counter},
  delivery_id text not null,
  form_id text not null,
  number integer not null,
  started_at bigint not null,
  duration integer,
  status_code integer,
  error text,
  url text not null,
  secret_used text not null${counterKey("attempt", "id")}
);
create index attempt_delivery on attempt (delivery_id);`;
}
