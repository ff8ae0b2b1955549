/** Persons with roles in organizations (docs/decisions/0023-organizations.md), their signed lists, and credentials for programs. */
export function printOrganizationTables(): string {
  return `
create table organization (
  id text primary key,
  name text not null,
  plan text not null,
  created_at bigint not null,
  second_factor_from bigint,
  recovery_required_at bigint,
  ends_at bigint,
  -- It counts for one of its owners, or was left behind by the one for whom it counted, whose account may be gone.
  counts_for text,
  left_by text
);
create index organization_counts_for on organization (counts_for);
create index organization_left_by on organization (left_by);
create index organization_ends_at on organization (ends_at) where ends_at is not null;
-- The list of the instance page.
create index organization_name on organization (lower(name), id);

create table member (
  organization_id text not null references organization (id) on delete cascade,
  person_id text not null references person (id) on update cascade on delete cascade,
  role text not null,
  form_ids text not null,
  since bigint not null,
  added_by text,
  -- The address that was invited, while nobody has proven that it is the person's: until then the membership gives no rights.
  unproven_address text,
  constraint member_primary primary key (organization_id, person_id)
);
create index member_person on member (person_id);

create table member_change (
  organization_id text not null references organization (id) on delete cascade,
  number integer not null,
  -- Neither leads to a person: the changes protect others, and stay until their own end when an account is deleted.
  person_id text not null,
  -- Null: nobody's, or an operator's.
  made_by text,
  changed_at bigint not null,
  -- The membership before; null: there was none.
  role text,
  form_ids text,
  since bigint,
  added_by text,
  unproven_address text,
  constraint member_change_key primary key (organization_id, number)
);
create index member_change_person on member_change (person_id);
create index member_change_maker on member_change (made_by, organization_id, number);
create index member_change_time on member_change (changed_at);

create table invitation (
  id text primary key,
  organization_id text not null references organization (id) on delete cascade,
  email text not null,
  role text not null,
  form_ids text not null,
  token_hash text not null unique,
  -- Of the link that only the email has, so that signing up with it proves the mailbox.
  mail_hash text unique,
  invited_by text not null,
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
);
create index invitation_list on invitation (organization_id, created_at);
create index invitation_pending on invitation (organization_id, expires_at) where ended_at is null;
create index invitation_address on invitation (email);
create index invitation_end on invitation (expires_at);
create index invitation_maker on invitation (invited_by, created_at);

create table list_entry (
  organization_id text not null references organization (id) on delete cascade,
  number integer not null,
  hash text not null,
  entry text not null,
  -- The member that it is about; of an entry that is about nobody, the one who signed it.
  member_id text not null,
  signer_id text not null,
  -- The bytes of the list up to here.
  list_bytes integer not null,
  added_at bigint not null,
  constraint list_entry_key primary key (organization_id, number)
);
create index list_entry_member on list_entry (member_id);
create index list_entry_signer on list_entry (organization_id, signer_id, added_at);

-- Names and salts of the commitments in signed lists: they can go, and every signature holds.
create table list_name (
  organization_id text not null references organization (id) on delete cascade,
  commitment text not null,
  -- Null: the organization's own name.
  member_id text,
  salt text not null,
  name text not null,
  is_present integer not null,
  constraint list_name_key primary key (organization_id, commitment)
);
create index list_name_member on list_name (member_id);

create table signed_head (
  person_id text not null,
  signing_key text not null,
  organization_id text not null,
  signed_head text not null,
  number integer not null,
  stored_at bigint not null,
  constraint signed_head_key primary key (person_id, signing_key, organization_id),
  -- They go with the membership, however it ends.
  constraint signed_head_member foreign key (organization_id, person_id)
    references member (organization_id, person_id) on delete cascade
);
create index signed_head_member_index on signed_head (organization_id, person_id);

-- Offers to bring somebody into a signed list (docs/decisions/0031-several-readers.md).
create table admission (
  id text primary key,
  organization_id text not null references organization (id) on delete cascade,
  person_id text references person (id) on update cascade on delete cascade,
  email text not null,
  made_by text not null references person (id) on update cascade on delete cascade,
  terms text not null,
  created_at bigint not null,
  ends_at bigint not null,
  refusals integer default 0 not null,
  answered_by text,
  answer text,
  answered_at bigint,
  ended_at bigint
);
create index admission_organization on admission (organization_id);
-- Those that are open are few, and those that ended stay for 30 days.
create index admission_open on admission (organization_id, ends_at) where ended_at is null;
create index admission_address on admission (email) where person_id is null;
create index admission_person on admission (person_id);
create index admission_maker on admission (made_by);
create index admission_end on admission (ends_at);

create table api_key (
  id text primary key,
  account_id text not null references organization (id) on delete cascade,
  name text not null,
  prefix text not null,
  hash text not null unique,
  permissions text not null,
  made_by text not null references person (id) on update cascade on delete cascade,
  -- JSON array; null: all forms that its maker reaches.
  form_ids text,
  created_at bigint not null,
  last_used_at bigint,
  expires_at bigint,
  -- When its owners were notified that it ends soon.
  expiry_notified_at bigint
);
create index api_key_account on api_key (account_id);
create index api_key_maker on api_key (made_by);`;
}
