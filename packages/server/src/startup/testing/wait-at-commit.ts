import { sql } from "kysely";
import type { Database } from "../../database/database.ts";
import type { TableName } from "../../database/table-record.ts";

/** Any number that nothing else locks. */
const gate = 7411;

/**
 * PostgreSQL alone. Begins `late` while the transaction in which `early` writes the table has done everything but its commit, and lets
 * it commit as soon as `late` waits for it, or has ended. Always true.
 */
export async function waitAtCommit(
  database: Database,
  table: TableName,
  early: () => Promise<void>,
  late: () => Promise<void>,
): Promise<true> {
  await sql
    .raw(`
      create or replace function wait_at_gate() returns trigger language plpgsql as $$
      begin perform pg_advisory_xact_lock_shared(${gate}); return null; end $$;
      create constraint trigger gate after insert or update or delete on ${table} deferrable initially deferred
      for each row execute function wait_at_gate()`)
    .execute(database);
  const keeper = await database.startTransaction().execute();
  await sql`select pg_advisory_xact_lock(${gate})`.execute(keeper);
  const [begun, pid] = await race(early(), () => findWaiting(database));
  if (pid === undefined) await begun;
  if (pid === undefined) throw new Error(`No transaction that writes “${table}” waits before its commit`);
  const [ended] = await race(late(), () => isBlockedBy(database, pid));
  await keeper.commit().execute();
  await Promise.all([begun, ended]);
  await sql.raw(`drop trigger gate on ${table}`).execute(database);
  return true;
}

/** Asks until there is an answer, or the work has ended. */
async function race<Seen>(
  work: Promise<void>,
  ask: () => Promise<Seen | undefined>,
): Promise<readonly [work: Promise<void>, seen: Seen | undefined]> {
  let isOver = false;
  const ended = work.finally(() => {
    isOver = true;
  });
  // The caller awaits it, and hears of its failure.
  ended.catch(() => {});
  for (;;) {
    const seen = await ask();
    if (seen !== undefined || isOver) return [ended, seen];
  }
}

/** The process that waits at the gate. */
async function findWaiting(database: Database): Promise<number | undefined> {
  const { rows } = await sql<{ pid: number }>`
    select pid from pg_locks where locktype = 'advisory' and objid = ${gate} and not granted`.execute(database);
  return rows[0]?.pid;
}

/** Whether somebody waits for the process, or at the gate as well. */
async function isBlockedBy(database: Database, pid: number): Promise<true | undefined> {
  const { rows } = await sql`
    select 1 from pg_stat_activity as other where datname = current_database() and other.pid <> ${pid} and (
      ${pid} = any(pg_blocking_pids(other.pid)) or exists (
        select 1 from pg_locks where pg_locks.pid = other.pid and locktype = 'advisory' and objid = ${gate} and not granted))`.execute(
    database,
  );
  return rows.length > 0 || undefined;
}
