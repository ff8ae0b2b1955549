import type { SqlWords } from "./sql-words.ts";

/** Submissions, the bin (docs/decisions/0015-bin.md), and what is left of deleted ones. */
export function printSubmissionTables({ bytes, sequence, counter, counterKey, withForm }: SqlWords): string {
  return `
-- Rows lie in arrival order: clustering them by the client-made id halves what can be written per second.
create table submission (
  sequence ${counter},
  form_id text not null,
  id text not null,
  key_version integer not null,
  version text not null,
  data ${bytes},
  key ${bytes},
  iv ${bytes},
  fields text,
  timestamp bigint not null,
  received_at bigint not null,
  posted_digest text${counterKey("submission", "sequence")}
);
create unique index submission_id on submission (form_id, id);
create index submission_list on submission (form_id, received_at, sequence);
-- Whether a form has one; nothing of it is written for sealed ones.
create index submission_plain on submission (form_id) where version = 'plain1';

-- A table of its own, so that lists, counts and the writing of submissions know nothing of the bin and cost what they did.
create table submission_bin (
  -- The one that the submission had: it is restored to its place.
  sequence ${sequence},
  form_id text not null,
  id text not null,
  key_version integer not null,
  version text not null,
  data ${bytes},
  key ${bytes},
  iv ${bytes},
  fields text,
  timestamp bigint not null,
  received_at bigint not null,
  posted_digest text,
  binned_at bigint not null,
  constraint submission_bin_primary primary key (sequence${withForm})
);
create unique index submission_bin_id on submission_bin (form_id, id);
create index submission_bin_plain on submission_bin (form_id) where version = 'plain1';
create index submission_bin_list on submission_bin (form_id, binned_at, sequence);
create index submission_bin_received on submission_bin (form_id, received_at, sequence, binned_at);

-- One row for each form that has something in the bin.
create table form_bin (
  form_id text primary key,
  stored bigint not null,
  visible_from bigint default 0 not null
);
create index form_bin_emptied on form_bin (form_id) where visible_from > 0;

-- One row per bulk delete that still has rows to remove.
create table submission_purge (
  form_id text not null,
  received_before bigint not null,
  requested_at bigint not null,
  constraint submission_purge_primary primary key (form_id, received_before)
);

create table submission_tombstone (
  id text not null,
  form_id text not null,
  received_at bigint not null,
  sequence bigint not null,
  deleted_at bigint not null,
  constraint submission_tombstone_primary primary key (id, form_id)
);
create index submission_tombstone_form on submission_tombstone (form_id, received_at);
create index submission_tombstone_age on submission_tombstone (deleted_at);`;
}
