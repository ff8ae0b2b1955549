import { AsyncLocalStorage } from "node:async_hooks";
import type { Transaction } from "kysely";
import type { Tables } from "./schema.ts";

/** Condition of every transaction that a request begins, which is repeated after a deadlock. */
export interface TransactionGuard {
  /** Called before a transaction begins. */
  readonly before: () => Promise<void>;
  /**
   * Resolves when the transaction may have a connection, with what says that it has given it back: one that waits for a lock keeps its
   * connection, and nobody's may take those of all others.
   */
  readonly takePlace: () => Promise<() => void>;
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

/** The guard of the request that is being answered. */
export function findGuard(): TransactionGuard | undefined {
  const guard = guards.getStore();
  return guard?.isOver() ? undefined : guard;
}
