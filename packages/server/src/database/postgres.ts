import { PostgresDialect } from "kysely";
import { Client, type ClientConfig, Pool, types } from "pg";
import { nameOf } from "./prepared-statements.ts";

const int8 = 20;
const connectionsMax = 10;
const idleInTransactionMilliseconds = 15_000;

/** PostgreSQL 15 or newer. Numbers of eight bytes come as numbers: ours are milliseconds and counts, far below 2^53. */
export function createPostgresDialect(url: string): PostgresDialect {
  const pool = new Pool({
    Client: PreparingClient,
    connectionString: url,
    max: connectionsMax,
    application_name: "sealpost",
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Statements of one pipeline travel together (`executePipeline`).
    pipeline: true,
    // A process that hangs in the middle of a transaction holds up everybody who waits for its rows; the server ends it.
    idle_in_transaction_session_timeout: idleInTransactionMilliseconds,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === int8 && format !== "binary" ? Number : types.getTypeParser(oid, format),
    },
  });
  // A connection that breaks is replaced by the pool, and its user gets the error of the failed query. Without
  // listeners on both, the process would end: the pool listens on a connection only while nobody uses it.
  pool.on("error", () => {});
  pool.on("connect", (client) => client.on("error", () => {}));
  return new PostgresDialect({ pool });
}

/** Gives statements that are kept prepared their names, for which Kysely has no place. */
class PreparingClient extends Client {
  constructor(config?: string | ClientConfig) {
    super(config);
    const query = this.query.bind(this) as (...parameters: unknown[]) => unknown; // whatever overload is called
    const queryByName = (text: unknown, ...rest: unknown[]) => {
      const name = typeof text === "string" ? nameOf(text) : undefined;
      return query(name === undefined ? text : { name, text }, ...rest);
    };
    this.query = queryByName as Client["query"]; // every overload takes an object in the place of the text
  }
}
