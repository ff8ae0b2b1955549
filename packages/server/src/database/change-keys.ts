import type { ClientBase } from "pg";
import { isDeadlock, isLockTimeout } from "./errors.ts";
import { type KeyState, keyName, keyStatesQuery, printKey, printUnfilledIndex, unfilledIndex } from "./form-keys.ts";

/** How long a table's statements may have to wait for the moment in which its key is replaced. */
const lockMilliseconds = 100;
/** Between two tries of that: a backup, say, may read the table for an hour. */
const pauseMilliseconds = { first: 250, longest: 30_000 };
const attemptsAtOnce = 1_000;
/** Of the advisory lock that one process at a time holds. */
export const lockKey = 7_305_014;

export interface KeyChange {
  /** A connection to the server itself, which nobody else uses. */
  readonly client: Pick<ClientBase, "query">;
  /** Called before each step with a sentence. */
  readonly report: (step: string) => void;
  readonly isStopped: () => boolean;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/**
 * Gives a PostgreSQL database that has submissions the keys of a new one, while any version serves it that can be there: fills in
 * the forms of attempts, builds an index next to each key without holding up writers, and puts it into the key's place in a
 * moment. What is done is asked of the catalog, so an end in the middle of a step costs no more than that step. False when
 * another process is at it.
 */
export async function changeKeys(change: KeyChange): Promise<boolean> {
  const { client, isStopped } = change;
  const { rows } = await client.query(`select pg_try_advisory_lock(${lockKey}) as mine`);
  if (rows[0].mine !== true) return false;
  // Whatever the role's own limits are: the index of a large table takes its time.
  await client.query("set statement_timeout = 0; set lock_timeout = 0");
  await fillAttempts(change);
  await buildIndex(change, unfilledIndex, printUnfilledIndex("create index concurrently"));
  for (const state of (await client.query<KeyState>(keyStatesQuery)).rows) {
    if (isStopped() || state.isChanged) continue;
    const name = keyName(state.table);
    const columns = printKey(state.table);
    await buildIndex(change, name, `create unique index concurrently ${name} on ${state.table} (${columns})`);
    await replaceKey(change, state);
  }
  await client.query(`select pg_advisory_unlock(${lockKey})`);
  return !isStopped();
}

/** In small batches, with as much time between them as they take. Rows that somebody is just writing are left for the next time. */
async function fillAttempts({ client, report, isStopped, wait }: KeyChange): Promise<void> {
  let filled = 0;
  for (let after = 0; !isStopped(); ) {
    const begun = performance.now();
    const next = await client.query(
      "select max(id) as last from (select id from attempt where form_id = '' and id > $1 order by id limit $2) as batch",
      [after, attemptsAtOnce],
    );
    const last = next.rows[0].last;
    if (last === null) break;
    const { rowCount } = await client.query(
      `update attempt set form_id = found.form_id
      from (
        select a.id, d.form_id from attempt a join delivery d on d.id = a.delivery_id
        where a.form_id = '' and a.id > $1 and a.id <= $2 order by a.id for update of a skip locked) as found
      where attempt.id = found.id and attempt.form_id = ''`,
      [after, last],
    );
    if (filled === 0 && rowCount !== 0) report("filling in the forms of the attempts of deliveries");
    filled += rowCount ?? 0;
    after = last;
    await wait(performance.now() - begun);
  }
}

/** An index that is not valid is left over from somebody who built it and was stopped: nobody else is at it. */
async function buildIndex({ client, report, isStopped }: KeyChange, name: string, create: string): Promise<void> {
  const { rows } = await client.query("select indisvalid from pg_index where indexrelid = to_regclass($1)", [name]);
  if (isStopped() || rows[0]?.indisvalid === true) return;
  report(`building the index ${name}`);
  if (rows.length > 0) await client.query(`drop index concurrently ${name}`);
  await client.query(create);
}

/** The statements of the table wait for this one, which waits for those that are under way: so it soon gives up, and tries again. */
async function replaceKey(
  { client, report, isStopped, wait }: KeyChange,
  { table, constraint }: KeyState,
): Promise<void> {
  const name = keyName(table);
  await client.query(`set lock_timeout = ${lockMilliseconds}`);
  let pause = pauseMilliseconds.first;
  for (let isReplaced = false; !isReplaced && !isStopped(); ) {
    try {
      await client.query(
        `alter table ${table} drop constraint "${constraint}", add constraint ${name} primary key using index ${name}`,
      );
      isReplaced = true;
      report(`the key of ${table} is changed`);
    } catch (error) {
      if (!isLockTimeout(error) && !isDeadlock(error)) throw error;
      await wait(pause);
      pause = Math.min(2 * pause, pauseMilliseconds.longest);
    }
  }
  await client.query("set lock_timeout = 0");
}
