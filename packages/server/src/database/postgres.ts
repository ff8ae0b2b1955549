import { PostgresAdapter, PostgresDialect } from "kysely";
import { types } from "pg";
import { applicationName } from "./application-name.ts";
import { createDistributionCheck } from "./distribution.ts";
import { rememberErrors } from "./errors-of-database.ts";
import { createHostPools } from "./host-pools.ts";
import type { Hosts } from "./hosts.ts";
import { createClientClass, idleInTransactionMilliseconds, type PoolTraits } from "./pooled-client.ts";

const int8 = 20;
const connectionsMax = 10;
const namesLost =
  "the database's pooler does not keep prepared statements: they are not named from here on. PgBouncer 1.21 and newer keep them";

/** PostgreSQL 15 or newer, on one host or several. Numbers of eight bytes come as numbers: ours are milliseconds and counts, far below 2^53. */
export function createPostgresDialect(hosts: Hosts): PostgresDialect {
  const traits: PoolTraits = {
    hasNames: true,
    transactionSettings: new Set(),
    now: () => performance.now(),
    onNamesLost: () => hosts.warn(namesLost),
  };
  const adapter = new PostgresAdapter();
  const settings = {
    Client: createClientClass(traits),
    max: connectionsMax,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    // Statements of one pipeline travel together (`executePipeline`).
    pipeline: true,
    // Without a pooler between; else each transaction has it.
    idle_in_transaction_session_timeout: idleInTransactionMilliseconds,
    types: {
      getTypeParser: (oid: number, format?: "text" | "binary") =>
        oid === int8 && format !== "binary" ? Number : types.getTypeParser(oid, format),
    },
  };
  const pool = createHostPools(hosts, traits, settings, createDistributionCheck(adapter));
  const dialect = new PostgresDialect({ pool });
  // One, so that what is known of the database is known of it everywhere.
  dialect.createAdapter = () => adapter;
  return rememberErrors(dialect);
}
