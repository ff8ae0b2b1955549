import { createHash } from "node:crypto";

const names = new Map<string, string>();

/**
 * Has each connection to PostgreSQL keep this statement prepared, so that it is read and planned once and not each time.
 * For inserts of always the same text: a connection never forgets one, and whatever searches a table would keep the
 * plan that was good while the table was small. SQLite's dialect keeps all that it runs.
 */
export function keepPrepared(text: string): string {
  // Named by what it says: past a pooler a process may meet the statements of another version's.
  if (!names.has(text)) names.set(text, `sealpost_${createHash("sha256").update(text).digest("hex").slice(0, 32)}`);
  return text;
}

/** The name by which PostgreSQL knows a statement that is kept prepared. */
export function nameOf(text: string): string | undefined {
  return names.get(text);
}
