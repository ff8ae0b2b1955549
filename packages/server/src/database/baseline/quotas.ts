/** Notices about the storage that accounts use (docs/decisions/0016-quotas.md). */
export function printQuotaTables(): string {
  return `
-- The last notices to owners: 80 or 100 per cent, of an account or of a form. No row is neither.
create table quota_notice (id text primary key, level integer not null);`;
}
