import type { SqlWords } from "./sql-words.ts";

/** The storage that accounts use, and notices about it (docs/decisions/0016-quotas.md). */
export function printQuotaTables({ counterOnly }: SqlWords): string {
  return `
-- The bytes of everything but submissions, by form, organization or person: a row for each change, folded now and then. Triggers
-- write it (database/counted-tables.ts).
create table counted_bytes (id ${counterOnly}, owner_id text not null, bytes bigint not null);
create index counted_bytes_owner on counted_bytes (owner_id, bytes);

-- The last notices to owners: 80 or 100 per cent, of an account or of a form, or of an account's audit log. No row is neither.
create table quota_notice (
  id text not null,
  -- storage, or log.
  room text not null,
  level integer not null,
  primary key (id, room)
);`;
}
