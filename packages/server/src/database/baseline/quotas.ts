/** The storage that accounts may use (docs/decisions/0016-quotas.md). */
export function printQuotaTables(): string {
  return `
-- At the least so much an account may store, whatever its plan.
create table account_quota (
  account_id text primary key references account_holder (id) on delete cascade,
  granted bigint not null
);

-- The last notices to owners: 80 or 100 per cent, of an account or of a form. No row is neither.
create table quota_notice (id text primary key, level integer not null);`;
}
