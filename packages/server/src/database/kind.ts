import { type Kysely, PostgresAdapter } from "kysely";

export type DatabaseKind = "sqlite" | "postgres";

/** The kind of database of a connection or transaction. For the few places where they differ, all in `database/`. */
export function kindOf(database: Pick<Kysely<never>, "getExecutor">): DatabaseKind {
  return database.getExecutor().adapter instanceof PostgresAdapter ? "postgres" : "sqlite";
}
