/** The public halves and sealed copies of people's own keys (docs/decisions/0029-personal-keys.md, 0031-several-readers.md). */
export function printPersonalKeyTables(): string {
  return `
create table personal_key (
  person_id text primary key references person (id) on update cascade on delete cascade,
  recipient text not null,
  signing_key text not null,
  created_at bigint not null
);

create table key_copy (
  id text primary key,
  person_id text not null references person (id) on update cascade on delete cascade,
  way text not null,
  name text not null,
  file text not null,
  created_at bigint not null,
  removed_at bigint
);
create index key_copy_person on key_copy (person_id);
create index key_copy_removed on key_copy (removed_at);

-- Keys that another one has replaced.
create table former_key (
  person_id text not null references person (id) on update cascade on delete cascade,
  signing_key text not null,
  recipient text not null,
  created_at bigint not null,
  replaced_at bigint not null,
  copy_id text,
  -- Sealed for the key that replaced it: an age file, base64url.
  file text,
  constraint former_key_key primary key (person_id, signing_key)
);
create index former_key_replaced on former_key (replaced_at);

create table former_key_copy (
  id text primary key,
  person_id text not null references person (id) on update cascade on delete cascade,
  signing_key text not null,
  way text not null,
  name text not null,
  file text not null,
  created_at bigint not null,
  removed_at bigint
);
create index former_key_copy_key on former_key_copy (person_id, signing_key);

-- Handovers of a personal key to another device of its person, of ten minutes each.
create table device_request (
  id text primary key,
  person_id text not null unique references person (id) on update cascade on delete cascade,
  -- The new device's.
  session_id text not null,
  commitment text not null,
  expires_at bigint not null,
  -- The session of the device on which the key is open.
  giving_session_id text,
  -- JSON, each written once.
  challenge text,
  reveal text,
  answer text
);
create index device_request_end on device_request (expires_at);`;
}
