import { AsyncLocalStorage } from "node:async_hooks";
import type {
  ConnectionProvider,
  ControlledTransaction,
  DatabaseConnection,
  Kysely,
  QueryExecutor,
  Transaction,
} from "kysely";
import { isDatabaseUnavailable, isDeadlock } from "./errors.ts";
import { repeatAfterDeadlock } from "./repeat.ts";
import type { Tables } from "./schema.ts";
import { findGuard } from "./transaction-guard.ts";

/** Outcome of a unit's work: all was done; it was refused, and notes that are kept; or it went wrong. */
export type UnitOutcome = "done" | "refused" | "failed";

export interface UnitSettings<Result> {
  /** The first thing in the transaction: takes locks, and looks again at what was read before. Throws when it must not go ahead. */
  readonly first?: ((transaction: Transaction<Tables>) => Promise<void>) | undefined;
  /** Without it all that does not throw was done. */
  readonly classify?: ((result: Result) => UnitOutcome) | undefined;
}

interface Unit {
  readonly database: Kysely<Tables>;
  readonly isOver: () => boolean;
  /** For work that asks for a transaction: it gets the unit's, which it neither commits nor rolls back. */
  readonly join: <Result>(work: (transaction: Transaction<Tables>) => Promise<Result>) => Promise<Result>;
  readonly connection: DatabaseConnection;
  /** Done once the unit has ended, with or without a result. */
  readonly afterwards: (() => void)[];
}

const units = new AsyncLocalStorage<Unit | undefined>();

/** The unit in which a database is being asked. */
export function findUnit(database: Kysely<Tables>): Unit | undefined {
  const unit = units.getStore();
  return unit?.database === database && !unit.isOver() ? unit : undefined;
}

/** Does something at once, or once the unit has ended in which the database is being asked: what looks for its rows finds none before. */
export function afterUnit(database: Kysely<Tables>, act: () => void): void {
  const unit = findUnit(database);
  if (unit === undefined) act();
  else unit.afterwards.push(act);
}

/**
 * Does all that `work` writes in one transaction, also what a library does that has its own idea of transactions: either all of
 * it happened or none. The transaction begins with the first statement that is no plain reading, so that nothing is locked while
 * a password is hashed; from there on everything is read within it. Where a statement failed nothing is kept, even if nobody
 * heard of it.
 *
 * After a deadlock all of it is done again: what `work` does elsewhere, and what it was given, must allow that.
 *
 * Don't wait in it for work that was begun outside: on SQLite that would wait for this transaction.
 */
export function runAsUnit<Result>(
  database: Kysely<Tables>,
  work: () => Promise<Result>,
  settings: UnitSettings<Result> = {},
): Promise<Result> {
  return repeatAfterDeadlock(() => runOnce(database, work, settings));
}

async function runOnce<Result>(
  database: Kysely<Tables>,
  work: () => Promise<Result>,
  { first = async () => {}, classify = () => "done" }: UnitSettings<Result>,
): Promise<Result> {
  let begun: Promise<ControlledTransaction<Tables>> | undefined;
  let isOver = false;
  let refusal: { readonly error: unknown } | undefined;
  let failure: { readonly error: unknown } | undefined;
  let leave = () => {};

  async function begin(): Promise<ControlledTransaction<Tables>> {
    const guard = findGuard();
    await guard?.before();
    leave = (await guard?.takePlace()) ?? leave;
    const transaction = await units.run(undefined, () => database.startTransaction().execute());
    try {
      await first(transaction);
      return transaction;
    } catch (error) {
      refusal = { error };
      await transaction.rollback().execute();
      throw error;
    }
  }

  async function noting<Given>(asking: Promise<Given>): Promise<Given> {
    try {
      return await asking;
    } catch (error) {
      failure ??= { error };
      throw error;
    }
  }

  const ask = async (executorOf: QueryExecutor, ...asked: Parameters<DatabaseConnection["executeQuery"]>) =>
    executorOf.provideConnection((connection) => connection.executeQuery(...asked));

  const unit: Unit = {
    database,
    isOver: () => isOver,
    afterwards: [],
    join: (work) =>
      noting(
        (async () => {
          begun ??= begin();
          return work(await begun);
        })(),
      ),
    connection: {
      executeQuery: (query, options) => {
        if (begun === undefined && query.query.kind === "SelectQueryNode")
          return noting(units.run(undefined, () => ask(database.getExecutor(), query, options))) as never; // rows as asked for
        return unit.join((transaction) => ask(transaction.getExecutor(), query, options)) as never; // as above
      },
      streamQuery() {
        throw new Error("Nothing is streamed within a unit of work");
      },
    },
  };

  async function end(keeps: boolean): Promise<void> {
    isOver = true;
    try {
      await close(keeps);
    } finally {
      leave();
      // Also where the commit failed: its answer may be lost, and the rows be there.
      for (const act of unit.afterwards) act();
    }
  }

  async function close(keeps: boolean): Promise<void> {
    const transaction = await begun?.catch(() => undefined);
    if (transaction === undefined) return;
    // A connection that was lost has rolled back, and can't be asked to. It is given back even so.
    const rollBack = () =>
      transaction
        .rollback()
        .execute()
        .catch(() => {});
    if (!keeps) return rollBack();
    try {
      await transaction.commit().execute();
    } catch (error) {
      await rollBack();
      throw error;
    }
  }

  let result: Result;
  try {
    result = await units.run(unit, work);
  } catch (error) {
    await end(false);
    if (failure !== undefined && isDeadlock(failure.error)) throw failure.error;
    throw refusal === undefined ? error : refusal.error;
  }
  const outcome = classify(result);
  await end(failure === undefined && outcome !== "failed");
  if (refusal !== undefined) throw refusal.error;
  // A refusal may have come of it: the library does not say that the database was away, nor that it ended the transaction.
  if (
    failure !== undefined &&
    (outcome === "done" || isDatabaseUnavailable(failure.error) || isDeadlock(failure.error))
  )
    throw failure.error;
  return result;
}

/** Leads statements that are asked within a unit to its connection. */
export function followUnits(database: () => Kysely<Tables>, provider: ConnectionProvider): ConnectionProvider {
  return {
    provideConnection(consumer, options) {
      const unit = findUnit(database());
      return unit === undefined ? provider.provideConnection(consumer, options) : consumer(unit.connection);
    },
  };
}
