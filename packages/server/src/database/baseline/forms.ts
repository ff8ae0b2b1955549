import type { SqlWords } from "./sql-words.ts";

/** Forms, their public keys, and the envelopes with their private keys, which the service can't open. */
export function printFormTables({ bytes }: SqlWords): string {
  return `
create table form (
  id text primary key,
  account_id text not null references organization (id),
  name text not null,
  name_key text not null,
  encryption integer not null,
  pii_strip integer not null,
  allowed_origins text not null,
  -- JSON object of the settings beyond the contract's that differ from their default.
  settings text default '{}' not null,
  key_version integer not null,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index form_name on form (account_id, name_key);
create index form_list on form (account_id, created_at, id);

create table form_key (
  form_id text not null,
  version integer not null,
  modulus text not null,
  fingerprint text not null,
  hybrid_public_key text,
  hybrid_fingerprint text,
  made_by text not null,
  proved_at bigint,
  created_at bigint not null,
  closes_at bigint,
  constraint form_key_primary primary key (form_id, version)
);

-- The total in a list: counting 10,000 rows took a quarter of the request.
create table account_count (
  account_id text primary key references organization (id) on delete cascade,
  forms integer not null
);

-- Apart from \`form\`, because every submission updates them.
create table form_count (
  form_id text primary key,
  stored integer not null,
  received integer not null,
  visible_from bigint default 0 not null,
  -- docs/decisions/0057-order-of-receipt.md
  newest_received_at bigint default 0 not null,
  newest_binned_at bigint default 0 not null,
  -- docs/decisions/0016-quotas.md
  bytes bigint default 0 not null,
  -- JSON: the legal holds; null: there is none. Here, with the submissions, each statement that deletes some can ask for it.
  hold text
);
create index form_count_hold on form_count (form_id) where hold is not null;

create table form_day (
  form_id text not null,
  day text not null,
  received integer not null,
  constraint form_day_primary primary key (form_id, day)
);

create table form_retention (form_id text primary key, days bigint not null);

-- For each cause, since when visitors are refused, and when last, and for which settings.
create table form_refusal (
  form_id text not null,
  cause text not null,
  settings text not null,
  since bigint not null,
  last_at bigint not null,
  -- Whether owners were notified of what began at that time, and before when they are not notified again.
  is_announced integer not null,
  announce_from bigint not null,
  constraint form_refusal_primary primary key (form_id, cause)
);

create table form_purge (form_id text primary key, requested_at bigint not null);

create table form_reservation (
  form_id text primary key,
  organization_id text not null references organization (id) on delete cascade,
  -- A person, or an API key.
  principal_id text not null,
  expires_at bigint not null
);
create index form_reservation_end on form_reservation (expires_at);

create table envelope (
  form_id text not null,
  lowest_version integer not null,
  revision integer not null,
  -- 0 in those that are in use: after a removal, another envelope may begin at revision 1.
  removed_at bigint default 0 not null,
  hash text not null,
  bytes integer not null,
  file ${bytes} not null,
  -- The person who stored it: each writer's newest revision stays.
  writer_id text not null,
  created_at bigint not null,
  constraint envelope_key primary key (form_id, lowest_version, removed_at, revision)
);
create index envelope_removed on envelope (removed_at);
create index envelope_newest on envelope (form_id, removed_at, lowest_version, revision);
create index envelope_writer on envelope (form_id, lowest_version, removed_at, writer_id, revision);

create table key_log_entry (
  form_id text not null,
  number integer not null,
  hash text not null,
  entry text not null,
  added_at bigint not null,
  constraint key_log_entry_key primary key (form_id, number)
);

-- Scripts that pages may still load by the hash of an earlier build.
create table embed_script (file text primary key, body ${bytes} not null, created_at bigint not null);`;
}
