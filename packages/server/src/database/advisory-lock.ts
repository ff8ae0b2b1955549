import { CompiledQuery } from "kysely";
import { encodeColumn } from "./column-array.ts";
import type { DatabaseTransaction } from "./database.ts";
import { kindOf } from "./kind.ts";
import { keepPrepared } from "./prepared-statements.ts";

/** `shared`: any number at once, but next to nobody who has it `alone`. */
export type LockMode = "shared" | "alone";

/** Something that transactions lock by its name: a form, say, or a person's rights. */
export interface NamedLock {
  readonly name: string;
  readonly mode: LockMode;
}

const functionOf = { shared: "pg_advisory_xact_lock_shared", alone: "pg_advisory_xact_lock" } as const;
/** The key has 64 bits: two names that have the same one would wait for each other, and no more than that. */
const keyOf = (name: string) => `hashtextextended(${name}, 0)`;

/**
 * Takes locks in this order, in one statement, until the transaction ends. PostgreSQL grants them in the order in which they were asked for. Locks of rows
 * it does not: transactions that share a row pass those that wait for it alone, so that a flood of requests would keep out for as long as
 * it lasts what is to end it. On SQLite a transaction has the database to itself already.
 */
export async function takeLocks(transaction: DatabaseTransaction, locks: readonly NamedLock[]): Promise<void> {
  if (kindOf(transaction) === "sqlite" || locks.length === 0) return;
  const calls = locks.map(({ mode }, index) => printLock(mode, `$${index + 1}::text`));
  const names = locks.map(({ name }) => name);
  await transaction.executeQuery(CompiledQuery.raw(keepPrepared(`select ${calls.join(", ")}`), names));
}

/** A call that takes a lock, as SQL. `name` is an expression. */
function printLock(mode: LockMode, name: string): string {
  return `${functionOf[mode]}(${keyOf(name)})`;
}

const takingEach = keepPrepared(`select ${printLock("alone", "line.name")} from unnest($1::text[]) as line(name)`);

/** Takes many locks alone, in this order, in one statement whatever their number. */
export async function takeEachAlone(transaction: DatabaseTransaction, names: readonly string[]): Promise<void> {
  if (kindOf(transaction) === "sqlite" || names.length === 0) return;
  await transaction.executeQuery(CompiledQuery.raw(takingEach, [encodeColumn("text", names)]));
}

const sharingAll = keepPrepared(`select ${printLock("shared", "line.name")} from unnest($1::text[]) as line(name)`);

/** The statement that takes many locks, all shared. */
export function compileSharedLocks(names: readonly string[]): CompiledQuery<unknown> {
  return CompiledQuery.raw(sharingAll, [encodeColumn("text", names)]);
}
