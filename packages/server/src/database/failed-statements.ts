import { AsyncLocalStorage } from "node:async_hooks";
import type { ConnectionProvider } from "kysely";
import { isOfDatabase, isUniqueViolation } from "./errors.ts";

const watches = new AsyncLocalStorage<{ failure?: { readonly error: unknown } }>();

/**
 * Does `work`, and throws the error of the first statement that failed in it, even if nobody heard of it: the sign-in library takes
 * a database that did not answer for nobody being signed in. A row that there is already counts as an answer.
 */
export async function throwFailedStatement<Result>(work: () => Promise<Result>): Promise<Result> {
  const watch: { failure?: { readonly error: unknown } } = {};
  try {
    const result = await watches.run(watch, work);
    if (watch.failure === undefined) return result;
  } catch (error) {
    if (watch.failure === undefined) throw error;
  }
  throw watch.failure.error;
}

/** Notes the statements that fail for the work in which they are asked. */
export function noteFailedStatements(provider: ConnectionProvider): ConnectionProvider {
  return {
    async provideConnection(consumer, options) {
      try {
        return await provider.provideConnection(consumer, options);
      } catch (error) {
        const watch = watches.getStore();
        if (watch !== undefined && isOfDatabase(error) && !isUniqueViolation(error)) watch.failure ??= { error };
        throw error;
      }
    },
  };
}
