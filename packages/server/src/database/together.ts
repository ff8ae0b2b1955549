import type { CompiledQuery } from "kysely";
import type { DatabaseTransaction } from "./database.ts";
import { kindOf } from "./kind.ts";

/**
 * Runs statements of which none needs another's result, in their order. PostgreSQL is sent all of them at once, so that they
 * are one journey; a statement still sees what the ones before it did, and waited for. Gives the rows of each; `undefined` has none.
 */
export async function executeTogether<Rows extends readonly unknown[]>(
  transaction: DatabaseTransaction,
  queries: { readonly [Index in keyof Rows]: CompiledQuery<Rows[Index]> | undefined },
): Promise<{ [Index in keyof Rows]: Rows[Index][] }> {
  const results = await transaction.getExecutor().provideConnection(async (connection) => {
    if (kindOf(transaction) === "sqlite") {
      const each: unknown[][] = [];
      for (const query of queries) each.push(query === undefined ? [] : (await connection.executeQuery(query)).rows);
      return each;
    }
    // All have ended before the transaction goes on or is rolled back, also when the first one fails.
    const settled = await Promise.allSettled(queries.map((query) => query && connection.executeQuery(query)));
    return settled.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value?.rows ?? [];
    });
  });
  return results as { [Index in keyof Rows]: Rows[Index][] }; // the rows of each query, in their order
}
