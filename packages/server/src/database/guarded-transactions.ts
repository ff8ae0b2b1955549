import { AsyncLocalStorage } from "node:async_hooks";
import { Kysely, type Transaction, type TransactionBuilder } from "kysely";
import { repeatAfterDeadlock } from "./repeat.ts";
import type { Tables } from "./schema.ts";

/** Condition of every transaction that a request begins. */
export interface TransactionGuard {
  /** Called before a transaction begins. */
  readonly before: () => Promise<void>;
  /** The first thing in each transaction. Throws when it must not go ahead: then nothing is written. */
  readonly check: (transaction: Transaction<Tables>) => Promise<void>;
  /** True once the request was answered: work that it started for the service itself needs nobody's right. */
  readonly isOver: () => boolean;
}

const guards = new AsyncLocalStorage<TransactionGuard>();

/** Does `work`, and all that it awaits, under the guard. */
export function runGuarded(guard: TransactionGuard, work: () => void): void {
  guards.run(guard, work);
}

/**
 * A database that asks the guard of the request at the beginning of each transaction. Not something that each store is given: one
 * that forgot to ask would go unnoticed.
 */
export class GuardedDatabase extends Kysely<Tables> {
  override transaction(): TransactionBuilder<Tables> {
    const builder = super.transaction();
    const guard = guards.getStore();
    if (guard === undefined || guard.isOver()) return builder;
    const execute = builder.execute.bind(builder);
    return Object.assign(builder, {
      async execute<Result>(work: (transaction: Transaction<Tables>) => Promise<Result>): Promise<Result> {
        await guard.before();
        // A right is locked before everything else, and who takes it away may have locked something else first.
        return repeatAfterDeadlock(() =>
          execute(async (transaction) => {
            await guard.check(transaction);
            return work(transaction);
          }),
        );
      },
      setIsolationLevel: refuse,
      setAccessMode: refuse,
    });
  }
}

function refuse(): never {
  throw new Error("A transaction of a request has the usual isolation: it would not see who lost a right before it");
}
