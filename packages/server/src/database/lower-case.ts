import { type Expression, type Kysely, sql } from "kysely";
import { kindOf } from "./kind.ts";

/** A function of our SQLite connections: SQLite's own knows only the letters of ASCII. */
export const unicodeLower = "unicode_lower";

/** A text in lower case, as `toLowerCase` writes it; on PostgreSQL as the database's locale does. */
export function lowerCase(database: Pick<Kysely<never>, "getExecutor">, text: Expression<string>) {
  return kindOf(database) === "sqlite" ? sql<string>`${sql.raw(unicodeLower)}(${text})` : sql<string>`lower(${text})`;
}
