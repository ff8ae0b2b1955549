/** Emails that wait to be sent, the last notice to each form's owner, and who opted out (docs/decisions/0010-content-free-mail.md). */
export function printMailTables(): string {
  return `
create table mail (
  id text primary key,
  kind text not null,
  account_id text not null,
  -- 1: to the person with this id, and follows them if they get another id; 0: to the owners of the organization.
  is_personal integer default 0 not null,
  -- 1: others cause this security email, which has a bound apart (mail/mail.ts).
  is_by_others integer default 0 not null,
  -- The person, or API key, that caused a security email.
  by_id text,
  form_id text,
  details text not null,
  created_at bigint not null,
  expires_at bigint not null,
  due_at bigint not null,
  attempts integer not null,
  claim_token text,
  finished_at bigint,
  failed_at bigint,
  failed_to text,
  -- The addresses among these that are not tried again.
  refused_to text,
  -- How many addresses it has reached.
  reached integer default 0 not null,
  failure text,
  -- Hash of the address of an email that somebody else causes, to bound how many it gets: mail/recipient.ts.
  recipient text,
  -- The person to whom alone this copy goes: they ceased to be an owner while the email waited.
  former_owner text
);
create index mail_recipient on mail (recipient, created_at) where recipient is not null;
create index mail_former_owner on mail (former_owner) where former_owner is not null;
create index mail_due on mail (due_at) where finished_at is null;
create index mail_form on mail (form_id, kind);
create index mail_account on mail (account_id, kind, created_at);
create index mail_person on mail (account_id, is_personal, id);
create index mail_finished on mail (finished_at) where failed_at is null;
create index mail_failed on mail (failed_at, id) where failed_at is not null;

-- How many security emails of each kind one combined email stands for.
create table mail_gathered (
  mail_id text not null references mail (id) on delete cascade,
  event text not null,
  count integer not null,
  constraint mail_gathered_key primary key (mail_id, event)
);

create table form_notice (
  form_id text primary key,
  received integer not null,
  failing_since bigint,
  next_at bigint not null,
  -- The key version of which the owner was notified that nobody has proved it.
  unproved_version integer default 0 not null
);

-- The id of a form, or of an account for all of its forms.
create table email_opt_out (id text primary key);

-- When the owner last switched emails on again, of a form or of an account: links in earlier emails end nothing any more.
create table mail_wanted (id text primary key, since bigint not null);

-- Since when the owners of an organization want no emails about its full storage, and when they last wanted them again.
create table storage_email_switch (
  organization_id text primary key references organization (id) on delete cascade,
  refused_at bigint,
  wanted_since bigint
);`;
}
