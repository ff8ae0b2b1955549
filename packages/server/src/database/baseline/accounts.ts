import type { SqlWords } from "./sql-words.ts";

/**
 * Persons and what they sign in with. `person`, `session`, `credential`, `verification`, `jwks` and `second_factor` are
 * the sign-in library's tables under our names, with columns of ours (docs/decisions/0002-the-sign-in-librarys-tables.md);
 * `authentication/auth.ts` maps them.
 */
export function printAccountTables({ date, no }: SqlWords): string {
  return `
create table person (
  id text primary key,
  name text not null,
  email text not null unique,
  email_verified boolean not null,
  image text,
  -- 'first' for the account that claimed a fresh instance by sign-up: being unique, it decides the race of two.
  sign_up_slot text unique,
  created_at ${date} not null,
  updated_at ${date} not null,
  second_factor_enabled boolean default ${no} not null,
  verification text default 'trusted' not null,
  disabled_at bigint,
  operator_since bigint,
  joined_at bigint,
  leaves_at bigint
);
create index person_operator on person (operator_since) where operator_since is not null;
create index person_disabled on person (disabled_at) where disabled_at is not null;
create index person_leaves_at on person (leaves_at) where leaves_at is not null;

-- Ids that a person has had, until they left the organization with it (docs/decisions/0042-persons-and-organizations.md).
create table former_person_id (
  id text primary key,
  person_id text not null references person (id) on update cascade on delete cascade,
  left_at bigint not null
);
create index former_person_id_person on former_person_id (person_id);

create table session (
  id text primary key,
  person_id text not null references person (id) on update cascade on delete cascade,
  token text not null unique,
  expires_at ${date} not null,
  ip_address text,
  user_agent text,
  created_at ${date} not null,
  updated_at ${date} not null,
  authenticated_at bigint not null,
  organization_id text,
  browser text not null,
  last_used_at bigint not null,
  ends_at bigint,
  identity_id text,
  passkey_id text,
  second_factor text
);
create index session_person on session (person_id);

create table credential (
  id text primary key,
  person_id text not null references person (id) on update cascade on delete cascade,
  provider_account_id text not null,
  provider_id text not null,
  access_token text,
  refresh_token text,
  id_token text,
  access_token_expires_at ${date},
  refresh_token_expires_at ${date},
  scope text,
  password text,
  created_at ${date} not null,
  updated_at ${date} not null
);
create index credential_person on credential (person_id);

create table verification (
  id text primary key,
  identifier text not null,
  value text not null,
  expires_at ${date} not null,
  created_at ${date} not null,
  updated_at ${date} not null
);
create index verification_identifier on verification (identifier);
create index verification_value on verification (value);
create index verification_end on verification (expires_at);

create table jwks (
  id text primary key,
  public_key text not null,
  private_key text not null,
  alg text,
  crv text,
  created_at ${date} not null,
  expires_at ${date}
);

create table second_factor (
  id text primary key,
  person_id text not null unique references person (id) on update cascade on delete cascade,
  -- Both encrypted with a key that is derived from the instance's secret.
  secret text not null,
  backup_codes text not null,
  verified boolean,
  failed_verifications integer,
  locked_until ${date},
  -- When its first code turned it on.
  enabled_at bigint
);

create table address_move (
  person_id text primary key references person (id) on update cascade on delete cascade,
  old_email text not null,
  new_email text not null,
  -- SHA-256 of the tokens in the links, hex; null once a link was used.
  old_hash text unique,
  new_hash text unique,
  undo_hash text unique,
  created_at bigint not null,
  expires_at bigint not null,
  moved_at bigint
);
-- Addresses that nobody else takes meanwhile.
create index address_move_old on address_move (old_email);

-- No foreign key: the person may be gone, and what the account gave meanwhile is still looked at.
create table undone_move (
  person_id text not null,
  begun_at bigint not null,
  undone_at bigint not null,
  constraint undone_move_key primary key (person_id, undone_at)
);
create index undone_move_time on undone_move (undone_at);

-- People of an identity provider (docs/decisions/0026-sign-in-by-oidc.md).
create table identity (
  id text primary key,
  person_id text not null references person (id) on update cascade on delete cascade,
  issuer text not null,
  subject text not null,
  name text not null,
  admitted_by text not null,
  linked_at bigint not null,
  used_at bigint,
  constraint identity_of_provider unique (issuer, subject)
);
create index identity_person on identity (person_id);

create table passkey (
  id text primary key,
  person_id text not null references person (id) on update cascade on delete cascade,
  credential_id text not null unique,
  user_handle text not null,
  public_key text not null,
  counter bigint not null,
  transports text not null,
  name text not null,
  added_at bigint not null,
  used_at bigint
);
create index passkey_person on passkey (person_id);

create table instance_invitation (
  id text primary key,
  email text not null,
  -- SHA-256 of the tokens of the link that is shown and of the one that is emailed, hex.
  token_hash text not null unique,
  mail_hash text unique,
  invited_by text,
  created_at bigint not null,
  expires_at bigint not null,
  ended_at bigint
);
create index instance_invitation_list on instance_invitation (created_at);
create index instance_invitation_end on instance_invitation (expires_at);
create index instance_invitation_pending on instance_invitation (expires_at) where ended_at is null;
create index instance_invitation_address on instance_invitation (email);
create index instance_invitation_maker on instance_invitation (invited_by);`;
}
