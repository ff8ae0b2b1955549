/**
 * `npm run test:pgbouncer`: the tests of the service on a real PostgreSQL through PgBouncer in transaction mode.
 * `npm run test:pgbouncer -- packages/server/src/deliveries` runs one folder or file. SEALPOST_TEST_PGBOUNCER names the program,
 * if it is not the `pgbouncer` of this machine.
 */
import { onServer } from "../../packages/server/src/testing/on-server.ts";
import { startPostgresServer } from "../../packages/server/src/testing/postgres-server.ts";
import { startPgBouncer } from "../support/pgbouncer.ts";
import { chooseServiceTests } from "./run-service-tests.ts";

const program = process.env.SEALPOST_TEST_PGBOUNCER ?? "pgbouncer";
const tests = chooseServiceTests({ parameters: process.argv.slice(2), database: "PostgreSQL" });
const server = await startPostgresServer();
try {
  // As docs/standby.md says: PgBouncer does not pass it on.
  await onServer(server, (client) =>
    client.query("alter role postgres set idle_in_transaction_session_timeout = '15s'"),
  );
  const pooler = await startPgBouncer(server, program);
  console.log(`PostgreSQL through PgBouncer ${pooler.version}: ${tests.files.length} files\n`);
  try {
    process.exitCode = await tests.run({
      SEALPOST_TEST_DATABASE_URL: server.url,
      SEALPOST_TEST_POOLER_URL: pooler.url,
    });
  } finally {
    await pooler.stop();
  }
} finally {
  await server.remove();
}
