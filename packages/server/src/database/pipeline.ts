import type { CompiledQuery } from "kysely";
import type { Database, DatabaseTransaction } from "./database.ts";
import { kindOf } from "./kind.ts";

type Queries<Rows extends readonly unknown[]> = {
  readonly [Index in keyof Rows]: CompiledQuery<Rows[Index]> | undefined;
};

/**
 * Runs statements of which none needs another's result, in their order. PostgreSQL is sent all of them at once, so that they
 * are one round trip; a statement still sees what the ones before it did, and waited for. Gives the rows of each; `undefined` has none.
 */
export async function executePipeline<Rows extends readonly unknown[]>(
  transaction: DatabaseTransaction,
  queries: Queries<Rows>,
): Promise<{ [Index in keyof Rows]: Rows[Index][] }> {
  const { answers } = await send(transaction, queries);
  return (await answers) as { [Index in keyof Rows]: Rows[Index][] }; // the rows of each query, in their order
}

/** The result of a transaction, and the statements that it ends with. */
export interface LastStatements<Result> {
  readonly result: Result;
  readonly last: readonly (CompiledQuery | undefined)[];
}

/** The statements that a transaction ends with, and what is made of the rows of each. */
export interface ReadStatements<Result> extends Pick<LastStatements<Result>, "last"> {
  readonly read: (rows: readonly (readonly unknown[])[]) => Result;
}

/** `commitReading` where nobody needs the rows of the last statements. */
export function commitPipeline<Result>(
  connection: Database,
  work: (transaction: DatabaseTransaction) => Promise<LastStatements<Result>>,
): Promise<Result> {
  return commitReading(connection, async (transaction) => {
    const { result, last } = await work(transaction);
    return { last, read: () => result };
  });
}

/**
 * Runs a transaction. The statements that it ends with go to PostgreSQL together with the commit: one round trip less, and
 * nobody waits for the rows that they lock while an answer is on its way.
 */
export async function commitReading<Result>(
  connection: Database,
  work: (transaction: DatabaseTransaction) => Promise<ReadStatements<Result>>,
): Promise<Result> {
  let answers: Promise<unknown[][]> = Promise.resolve([]);
  let read: ReadStatements<Result>["read"];
  try {
    read = await connection.transaction().execute(async (transaction) => {
      const { last, read } = await work(transaction);
      ({ answers } = await send(transaction, last));
      // The caller that waits for the commit gets the error below.
      answers.catch(() => undefined);
      return read;
    });
  } finally {
    // Why a commit became a rollback is in their answers.
    await answers;
  }
  return read(await answers);
}

/** Resolves when the statements are on the way, on SQLite when they were run. */
async function send(
  transaction: DatabaseTransaction,
  queries: readonly (CompiledQuery | undefined)[],
): Promise<{ readonly answers: Promise<unknown[][]> }> {
  return transaction.getExecutor().provideConnection(async (connection) => {
    if (kindOf(transaction) === "sqlite") {
      const each: unknown[][] = [];
      for (const query of queries) each.push(query === undefined ? [] : (await connection.executeQuery(query)).rows);
      return { answers: Promise.resolve(each) };
    }
    const settled = Promise.allSettled(queries.map((query) => query && connection.executeQuery(query)));
    return { answers: settled.then(readRows) };
  });
}

/** Read when all have ended, so that the transaction continues, or is rolled back, with nothing in progress. */
function readRows(settled: readonly PromiseSettledResult<{ readonly rows: unknown[] } | undefined>[]): unknown[][] {
  return settled.map((result) => {
    if (result.status === "rejected") throw result.reason;
    return result.value?.rows ?? [];
  });
}
