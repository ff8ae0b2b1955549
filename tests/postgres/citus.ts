/**
 * `npm run test:citus -- postgres://postgres@coordinator/sealpost`: the tests of the service with the tables of submissions spread over
 * the workers of a Citus cluster. The URL is that of a database in which the coordinator knows its workers; each test gets databases
 * of its own next to it, on all nodes, so the user has to be allowed to create databases and extensions on each of them.
 * Folders, files and the runner's flags after the URL choose what runs.
 */
import { parseDatabaseUrl } from "../../packages/server/src/config/database-url.ts";
import { listNodes } from "../../packages/server/src/testing/cluster-databases.ts";
import { chooseServiceTests } from "./run-service-tests.ts";

const [url = "", ...parameters] = process.argv.slice(2);
if (parseDatabaseUrl(url) === undefined) {
  console.error("npm run test:citus needs the URL of a coordinator's database: postgres://user:password@host/database");
  process.exit(2);
}
const [, ...workers] = await listNodes(url);
const tests = chooseServiceTests({ parameters, database: "Citus" });
console.log(`Citus with ${workers.length} workers: ${tests.files.length} files\n`);
process.exitCode = await tests.run({ SEALPOST_TEST_DATABASE_URL: url, SEALPOST_TEST_CITUS: "1" });
