import type { ClientBase } from "pg";
import { isDeadlock, isLockTimeout } from "./errors.ts";

/**
 * A change of a large PostgreSQL table that a migration leaves to the background, while every process serves. Names and
 * conditions are SQL. Whether it is done is asked of the database, never written down.
 */
export type BackgroundStep =
  | {
      /** Fills rows in, a thousand at a time; also those that a process of the version before still writes. */
      readonly kind: "fill";
      readonly table: string;
      /** A column of whole numbers that counts up, by which the rows are walked. */
      readonly by: string;
      /** The condition of the rows that are left. An index of just these makes the look for them cheap. */
      readonly left: string;
      readonly set: string;
    }
  | {
      readonly kind: "index";
      readonly name: string;
      /** After `on`: the table, its columns, a condition. */
      readonly on: string;
    }
  | {
      /** Gives the table another primary key, of a name that it had not before. */
      readonly kind: "key";
      readonly table: string;
      readonly name: string;
      readonly columns: string;
    };

/** How long a table's statements may have to wait for the moment in which its key is replaced. */
const lockMilliseconds = 100;
/** Between two tries of that: a backup, say, may read the table for an hour. */
const pauseMilliseconds = { first: 250, longest: 30_000 };
const rowsAtOnce = 1_000;
/** Key of the advisory lock that one process at a time holds. */
export const lockKey = 7_305_014;

export interface BackgroundRun {
  /** A connection to the server itself, which nobody else uses. */
  readonly client: Pick<ClientBase, "query">;
  readonly steps: readonly BackgroundStep[];
  /** Called before each step with a sentence. */
  readonly report: (step: string) => void;
  readonly isStopped: () => boolean;
  readonly wait: (milliseconds: number) => Promise<void>;
}

/**
 * Does the steps in order, while any version serves that can be there: rows in small batches, an index without holding up
 * writers, a key in a moment. An end in the middle of a step costs no more than that step. False when another process is at it.
 */
export async function runBackgroundSteps(run: BackgroundRun): Promise<boolean> {
  const { client, steps, isStopped } = run;
  const { rows } = await client.query(`select pg_try_advisory_lock(${lockKey}) as mine`);
  if (rows[0].mine !== true) return false;
  // Whatever the role's own limits are: the index of a large table takes its time.
  await client.query("set statement_timeout = 0; set lock_timeout = 0");
  for (const step of steps) {
    if (isStopped() || (await isDone(client, step))) continue;
    if (step.kind === "fill") await fill(run, step);
    else if (step.kind === "index")
      await buildIndex(run, step.name, `create index concurrently ${step.name} on ${step.on}`);
    else await changeKey(run, step);
  }
  await client.query(`select pg_advisory_unlock(${lockKey})`);
  return !isStopped();
}

/** Asks the database; a cut-off index is there and not valid. */
export async function isDone(client: Pick<ClientBase, "query">, step: BackgroundStep): Promise<boolean> {
  const { rows } = await client.query(printLeft(step));
  return rows.length === 0;
}

/** Selects a row while the step is not done. */
export function printLeft(step: BackgroundStep): string {
  switch (step.kind) {
    case "fill":
      return `select 1 from ${step.table} where ${step.left} limit 1`;
    case "index":
      return `select 1 where not exists (select from pg_index where indexrelid = to_regclass('${step.name}') and indisvalid)`;
    case "key":
      return `select 1 where not exists (
        select from pg_constraint where conrelid = to_regclass('${step.table}') and contype = 'p' and conname = '${step.name}')`;
    default:
      return step satisfies never;
  }
}

/**
 * Waits as long between two batches as a batch took. Rows that somebody is just writing, and rows that a process of the version
 * before adds, are left for the next time: the steps after this one do not wait until it writes no more.
 */
async function fill(
  { client, report, isStopped, wait }: BackgroundRun,
  { table, by, left, set }: Extract<BackgroundStep, { kind: "fill" }>,
): Promise<void> {
  report(`filling in rows of ${table}`);
  const { rows } = await client.query(`select max(${by}) as newest from ${table}`);
  const newest = rows[0].newest ?? 0;
  for (let after = 0; !isStopped(); ) {
    const begun = performance.now();
    const next = await client.query(
      `select max(place) as last from (
        select ${by} as place from ${table} where (${left}) and ${by} > $1 and ${by} <= $2 order by ${by} limit $3) as batch`,
      [after, newest, rowsAtOnce],
    );
    const last = next.rows[0].last;
    if (last === null) break;
    await client.query(
      `update ${table} set ${set} where ${by} in (
        select ${by} from ${table} where (${left}) and ${by} > $1 and ${by} <= $2 order by ${by} for update skip locked)`,
      [after, last],
    );
    after = last;
    await wait(performance.now() - begun);
  }
}

/** An index that is not valid is left over from somebody who built it and was stopped: nobody else is at it. */
async function buildIndex({ client, report, isStopped }: BackgroundRun, name: string, create: string): Promise<void> {
  const { rows } = await client.query("select indisvalid from pg_index where indexrelid = to_regclass($1)", [name]);
  if (isStopped() || rows[0]?.indisvalid === true) return;
  report(`building the index ${name}`);
  if (rows.length > 0) await client.query(`drop index concurrently ${name}`);
  await client.query(create);
}

/**
 * The statements of the table wait for the one that replaces the key, which waits for those that are under way: so it soon
 * gives up, and tries again.
 */
async function changeKey(run: BackgroundRun, step: Extract<BackgroundStep, { kind: "key" }>): Promise<void> {
  const { client, report, isStopped, wait } = run;
  const { table, name, columns } = step;
  await buildIndex(run, name, `create unique index concurrently ${name} on ${table} (${columns})`);
  const { rows } = await client.query(
    "select conname from pg_constraint where conrelid = to_regclass($1) and contype = 'p'",
    [table],
  );
  await client.query(`set lock_timeout = ${lockMilliseconds}`);
  let pause = pauseMilliseconds.first;
  for (let isReplaced = false; !isReplaced && !isStopped(); ) {
    try {
      await client.query(
        `alter table ${table} drop constraint "${rows[0].conname}", add constraint ${name} primary key using index ${name}`,
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
