/**
 * `npm run test:pgbouncer`: the tests of the service on a real PostgreSQL through PgBouncer in transaction mode.
 * `npm run test:pgbouncer -- packages/server/src/deliveries` runs one folder or file. SEALPOST_TEST_PGBOUNCER names the program,
 * if it is not the `pgbouncer` of this machine.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onServer } from "../../packages/server/src/testing/on-server.ts";
import { startPostgresServer } from "../../packages/server/src/testing/postgres-server.ts";
import { groupTestFiles, writeTestGroups } from "../../scripts/test-groups.ts";
import { startPgBouncer } from "../support/pgbouncer.ts";

const program = process.env.SEALPOST_TEST_PGBOUNCER ?? "pgbouncer";
const everything = ["packages/server/src", "tests/contract", "tests/faults", "tests/kill", "tests/postgres"];
/** Tests that start PostgreSQL themselves: nothing is between the service and their servers. */
const withTheirOwn = /\b(startPostgresServer|startPair)\b/;

process.chdir(join(import.meta.dirname, "..", ".."));
const wished = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const files = globSync(
  (wished.length > 0 ? wished : everything).map((path) =>
    statSync(path, { throwIfNoEntry: false })?.isDirectory() ? `${path}/**/*.test.ts` : path,
  ),
)
  .filter((file) => !withTheirOwn.test(readFileSync(file, "utf8")))
  .sort();
const folder = mkdtempSync(join(tmpdir(), "sealpost-test-groups-"));
process.once("exit", () => rmSync(folder, { recursive: true }));
// The runner's own flags choose tests by their names, and those of a group are those of its files.
const runnable =
  flags.length > 0 ? files : writeTestGroups(groupTestFiles([{ database: "PostgreSQL", files, settings: {} }]), folder);
const server = await startPostgresServer();
try {
  // As docs/standby.md says: PgBouncer does not pass it on.
  await onServer(server, (client) =>
    client.query("alter role postgres set idle_in_transaction_session_timeout = '15s'"),
  );
  const pooler = await startPgBouncer(server, program);
  console.log(`PostgreSQL through PgBouncer ${pooler.version}: ${files.length} files\n`);
  try {
    const runner = spawn(
      process.execPath,
      [
        "--conditions=@sealpost/source",
        "--test",
        "--test-concurrency=3",
        "--test-timeout=300000",
        ...flags,
        ...runnable,
      ],
      {
        stdio: "inherit",
        env: {
          SEALPOST_KILL_ROUNDS: "3",
          ...process.env,
          SEALPOST_TEST_DATABASE_URL: server.url,
          SEALPOST_TEST_POOLER_URL: pooler.url,
        },
      },
    );
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void runner.kill(signal));
    const [code] = await once(runner, "exit");
    process.exitCode = code ?? 1;
  } finally {
    await pooler.stop();
  }
} finally {
  await server.remove();
}
