import { sql } from "kysely";

/**
 * How many rows one statement looks at for a page of a filtered list, whatever the filter finds, or for a count: on SQLite,
 * everybody waits for it (docs/decisions/0063-bounded-lists.md). Beyond them the page ends, with fewer rows than were asked for or
 * none, and names where the next one begins.
 */
export const rowsLookedAtMax = 2000;

/** A text column for a condition that no index is to serve, so that the statement keeps to the one that bounds its rows. */
export function beyondIndex(column: string) {
  return sql<string>`(${sql.ref(column)} || '')`;
}
