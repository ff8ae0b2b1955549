import { createHash } from "node:crypto";
import type { CompiledQuery } from "kysely";

/** A statement that connections keep prepared. */
export interface KeptStatement {
  readonly name: string;
  /** Whether it is read and planned again once a second. */
  readonly isSearch: boolean;
}

const kept = new Map<string, KeptStatement>();

/**
 * Has each connection to PostgreSQL keep this statement prepared, so that it is read and planned once and not each time.
 * For inserts of always the same text: a connection never forgets one, and whatever searches a table would keep the
 * plan that was good while the table was small. SQLite's dialect keeps all that it runs.
 */
export function keepPrepared(text: string): string {
  keep(text, false);
  return text;
}

/**
 * The same for a statement that searches tables, whose text is one of a few: it is planned again once a second, so that a
 * plan made for an empty queue ends before the queue is long.
 */
export function keepPlanned<Query extends CompiledQuery>(query: Query): Query {
  keep(query.sql, true);
  return query;
}

function keep(text: string, isSearch: boolean): void {
  if (kept.has(text)) return;
  // Named by what it says: past a pooler a process may meet the statements of another version's.
  kept.set(text, { name: `sealpost_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`, isSearch });
}

/** `undefined` for a statement that is not kept. */
export function findKept(text: string): KeptStatement | undefined {
  return kept.get(text);
}
