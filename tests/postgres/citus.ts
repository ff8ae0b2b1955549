/**
 * `npm run test:citus -- postgres://postgres@coordinator/sealpost`: the tests of the service with the tables of submissions spread over
 * the workers of a Citus cluster. The URL is that of a database in which the coordinator knows its workers; each test gets databases
 * of its own next to it, on all nodes, so the user has to be allowed to create databases and extensions on each of them.
 * Folders, files and the runner's flags after the URL choose what runs.
 *
 * With `--kill-worker CMD --start-worker CMD` only the ledger of a worker that is lost runs (worker-loss.test.ts): the commands, for a
 * shell, end one worker's PostgreSQL as hard as can be, and start it again.
 */
import { parseArgs } from "node:util";
import { parseDatabaseUrl } from "../../packages/server/src/config/database-url.ts";
import { listNodes } from "../../packages/server/src/testing/cluster-databases.ts";
import { chooseServiceTests } from "./run-service-tests.ts";

const { values, positionals, tokens } = parseArgs({
  options: { "kill-worker": { type: "string" }, "start-worker": { type: "string" } },
  allowPositionals: true,
  strict: false,
  tokens: true,
});
const [url = "", ...wished] = positionals;
if (parseDatabaseUrl(url) === undefined) {
  console.error("npm run test:citus needs the URL of a coordinator's database: postgres://user:password@host/database");
  process.exit(2);
}
const { "kill-worker": kill, "start-worker": start } = values;
if ((kill === undefined) !== (start === undefined)) {
  console.error("--kill-worker and --start-worker need each other");
  process.exit(2);
}
const isLedger = typeof kill === "string" && typeof start === "string";
const flags = tokens.flatMap((token) =>
  token.kind === "option" && token.name !== "kill-worker" && token.name !== "start-worker"
    ? [token.value === undefined ? token.rawName : `${token.rawName}=${token.value}`]
    : [],
);
const parameters = [...(isLedger ? ["tests/postgres/worker-loss.test.ts"] : wished), ...flags];
const [, ...workers] = await listNodes(url);
const tests = chooseServiceTests({ parameters, database: "Citus" });
console.log(`Citus with ${workers.length} workers: ${tests.files.length} files\n`);
process.exitCode = await tests.run({
  SEALPOST_TEST_DATABASE_URL: url,
  SEALPOST_TEST_CITUS: "1",
  ...(isLedger && { SEALPOST_TEST_KILL_WORKER: kill, SEALPOST_TEST_START_WORKER: start }),
});
