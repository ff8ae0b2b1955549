import { PostgresDialect } from "kysely";
import { Pool, types } from "pg";

const int8 = 20;
const connectionsMax = 10;

/** PostgreSQL 15 or newer. Numbers of eight bytes come as numbers: ours are milliseconds and counts, far below 2^53. */
export function createPostgresDialect(url: string): PostgresDialect {
  const pool = new Pool({
    connectionString: url,
    max: connectionsMax,
    application_name: "sealpost",
    connectionTimeoutMillis: 5_000,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === int8 && format !== "binary" ? Number : types.getTypeParser(oid, format),
    },
  });
  // A connection that breaks while idle is replaced by the pool; without a listener it would end the process.
  pool.on("error", () => {});
  return new PostgresDialect({ pool });
}
