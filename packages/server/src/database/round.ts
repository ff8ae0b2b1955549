import { sql } from "kysely";
import type { Database } from "./database.ts";
import { isDatabaseUnreachable } from "./errors.ts";
import { createFailedRows } from "./failed-rows.ts";
import { kindOf } from "./kind.ts";

export interface RoundOptions<Id extends string, Context> {
  /** How many rows one step looks at. */
  readonly max: number;
  /** Ids that may be due, after `after`, in their order; at most `max`. */
  readonly find: (after: string, max: number, context: Context) => Promise<readonly Id[]>;
  /** The rows that are blocked for now, if a single statement can tell. */
  readonly findBlocked?: (ids: readonly Id[], context: Context) => Promise<ReadonlySet<string>>;
  /** A piece of the work of one of them. False: nothing can be done for now. */
  readonly work: (id: Id, context: Context) => Promise<boolean>;
}

/**
 * Goes through the rows that may be due, some in each step, and begins again after the last one. So rows that stay due, because
 * something blocks them or their work fails, keep no other ones waiting. `false` ends a round in which nothing could be done; a
 * `FailedRowsError` with those that failed is thrown at its end.
 */
export function createRound<Id extends string, Context>({
  max,
  find,
  findBlocked,
  work,
}: RoundOptions<Id, Context>): (context: Context) => Promise<boolean> {
  let last = "";
  let isWorking = false;
  const failed = createFailedRows();
  return async (context) => {
    const ids = await find(last, max, context);
    const blocked = ids.length === 0 ? undefined : await findBlocked?.(ids, context);
    for (const id of ids) {
      if (blocked?.has(id)) continue;
      try {
        if (await work(id, context)) isWorking = true;
      } catch (error) {
        failed.add(id, error);
      }
    }
    last = ids.length < max ? "" : (ids.at(-1) ?? "");
    if (last !== "") return true;
    const wasWorking = isWorking;
    isWorking = false;
    failed.throwAny();
    return wasWorking;
  };
}

/** A step of the first that has something to do. One that fails keeps no other one waiting; their failures are thrown when none has. */
export async function stepOfFirst(steps: Iterable<() => Promise<boolean>>): Promise<boolean> {
  const failures: unknown[] = [];
  for (const step of steps)
    try {
      if (await step()) return true;
    } catch (error) {
      addFailure(failures, error);
    }
  throwAll(failures);
  return false;
}

/** Throws what was kept, if anything was: of several an `AggregateError` of all, with the first one's message. */
export function throwAll(failures: readonly unknown[]): void {
  const [first, ...others] = failures.flatMap((one) => (one instanceof AggregateError ? one.errors : [one]));
  if (others.length > 0)
    throw new AggregateError([first, ...others], first instanceof Error ? first.message : undefined);
  if (failures.length > 0) throw first;
}

/**
 * Keeps a failure until all others have had their turn. Throws it at once where the database can't be reached: each of the others would
 * wait for a connection as long, and a service that has to stop waits for all of them.
 */
export function addFailure(failures: unknown[], error: unknown): void {
  if (isDatabaseUnreachable(error)) throw error;
  failures.push(error);
}

/**
 * The column by which a round goes through rows that are due: SQLite would walk along its index, which has the order of the round, through
 * all rows, instead of along that of the time, which has the few that are due.
 */
export function orderOfRound(database: Database, column: string) {
  return kindOf(database) === "sqlite" ? sql<string>`+${sql.ref(column)}` : sql<string>`${sql.ref(column)}`;
}
