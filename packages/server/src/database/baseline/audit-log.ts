/** Who did what, and when; nothing that was submitted, no address. Each organization's log is chained (docs/audit-log.md). */
export function printAuditLogTables(): string {
  return `
create table audit_entry (
  id text primary key,
  account_id text not null,
  occurred_at bigint not null,
  action text not null,
  actor text not null,
  actor_id text,
  person_id text,
  target_id text,
  target_name text,
  count integer,
  -- JSON: changes with old and new values, or how often something happened.
  details text,
  sequence bigint,
  hash text,
  -- Among the changes that everybody in the organization makes, so that their bound is one look at the entry so many before.
  change_number bigint,
  -- Every entry by a session says whose it was: the bounds of one person, and their export, go by it.
  check (actor <> 'session' or person_id is not null)
);
create index audit_entry_list on audit_entry (account_id, occurred_at, id);
-- One for each filter of the list: several at once go along one of them, and look at a bounded number of entries.
create index audit_entry_action on audit_entry (account_id, action, occurred_at, id);
create index audit_entry_actor on audit_entry (account_id, actor_id, occurred_at, id) where actor_id is not null;
create index audit_entry_member on audit_entry (account_id, person_id, occurred_at, id) where person_id is not null;
create index audit_entry_target on audit_entry (account_id, target_id, occurred_at, id) where target_id is not null;
create index audit_entry_change on audit_entry (account_id, actor, change_number) where change_number is not null;
-- For what grows too old alone: PostgreSQL would read the newest entries of all organizations for a list of one.
create index audit_entry_age on audit_entry (occurred_at) where sequence is not null;
create unique index audit_entry_chain on audit_entry (account_id, sequence) where sequence is not null;
create index audit_entry_unchained on audit_entry (account_id, occurred_at, id) where sequence is null;
-- The entries of one person, without a look at all others: those of their sessions, those about them, and those in the log of
-- their own account that name nobody.
create index audit_entry_person on audit_entry (person_id, id) where person_id is not null;
create index audit_entry_subject on audit_entry (target_id, id) where substr(target_id, 1, 4) = 'acc_';
create index audit_entry_unnamed on audit_entry (account_id, id) where person_id is null and actor <> 'api_key';

create table audit_head (
  account_id text primary key,
  -- The newest entry in the chain; 0 and null before the first.
  sequence bigint not null,
  hash text,
  -- The newest entry that was removed, for its age or by an owner; 0 and null before the first.
  removed_sequence bigint default 0 not null,
  removed_hash text,
  removed_occurred_at bigint,
  -- The newest entry that an owner wants removed, and from when on entries stay all the same; null when all are gone.
  shortened_to bigint,
  shortened_before bigint
);
create index audit_head_shortened on audit_head (account_id) where shortened_to is not null;`;
}
