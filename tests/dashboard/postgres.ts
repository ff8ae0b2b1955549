/**
 * `npm run test:dashboard:postgres`: every flow of the dashboard on a real PostgreSQL, which is started for it;
 * `npm test` has no room for more than one of them on both databases. SEALPOST_TEST_DATABASE_URL names a server to use
 * instead. What comes after `--` goes to the runner.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync } from "node:fs";
import { join } from "node:path";
import { startPostgresServer } from "../../packages/server/src/testing/postgres-server.ts";

process.chdir(join(import.meta.dirname, "..", ".."));
const given = process.env.SEALPOST_TEST_DATABASE_URL;
const server = given === undefined ? await startPostgresServer() : undefined;
const runner = spawn(
  process.execPath,
  [
    "--conditions=@sealpost/source",
    "--test",
    "--test-concurrency=2",
    "--test-timeout=300000",
    ...process.argv.slice(2),
    ...globSync("tests/dashboard/*.test.ts").sort(),
  ],
  { stdio: "inherit", env: { ...process.env, SEALPOST_TEST_DATABASE_URL: given ?? server?.url } },
);
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void runner.kill(signal));
const [code] = await once(runner, "exit");
await server?.remove();
process.exitCode = code ?? 1;
