import type { SelectQueryBuilder } from "kysely";
import type { DatabaseTransaction } from "./database.ts";
import { kindOf } from "./kind.ts";

/**
 * Holds the selected rows until the transaction ends, so that what is decided from them stays true. On SQLite there is
 * one writer at a time, and a transaction holds it already.
 */
export function lockRows<DB, TB extends keyof DB, O>(
  transaction: DatabaseTransaction,
  query: SelectQueryBuilder<DB, TB, O>,
): SelectQueryBuilder<DB, TB, O> {
  return kindOf(transaction) === "postgres" ? query.forUpdate() : query;
}
