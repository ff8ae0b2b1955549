/**
 * `npm test`: every test of the repository but the dashboard's flows, the embed's pages and those of several processes on one
 * PostgreSQL; browser included, the contract's on the built service; and the core of what asks the database once more on a real
 * PostgreSQL, which is started for it.
 * `npm test -- packages/wire` runs one folder, `npm test -- tests/end-to-end/main-job.test.ts --test-name-pattern=Unicode` one file
 * with the runner's own flags. Four commands run what it leaves to them, and `.ci/run` runs them all:
 * `npm run test:dashboard` (`--dashboard`) the dashboard's flows in Chromium, `npm run test:embed` (`--embed`) the pages of other
 * people with the embed in them, and `npm run test:postgres` (`--postgres`) everything that asks the database, on PostgreSQL
 * alone, and what needs it. `--dashboard --postgres` runs the flows on PostgreSQL. Files with hundreds of generated cases run a
 * sample of them, and all in `npm run test:cases` (`--cases`).
 * SEALPOST_TEST_DATABASE_URL names a PostgreSQL server to use instead of starting one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob, resolve } from "node:path";
import { buildService, serviceFolder } from "../packages/server/build.ts";
import { type PostgresServer, startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import { installChromium } from "./install-chromium.ts";
import { groupTestFiles, type TestPass, writeTestGroups } from "./test-groups.ts";
import { printSlowest } from "./test-times.ts";

const everything = [
  "architecture.test.ts",
  "packages/*/*.test.ts",
  "packages/*/src/**/*.test.{ts,tsx}",
  "tests/**/*.test.ts",
];
/** A person's flows in a real browser, from page to page, of the documents too: `npm run test:dashboard`, or by naming one. */
const dashboardFlows = [
  "tests/dashboard/**/*.test.ts",
  "tests/malicious-server/dashboard/*.test.ts",
  "tests/docs/site.test.ts",
  "tests/kill/keys.test.ts",
];
/** Pages with the embed in them, in a real browser: `npm run test:embed`, or by naming one. */
const embedPages = [
  "packages/embed/*.test.ts",
  "packages/embed/src/*.test.ts",
  "tests/malicious-server/embed.test.ts",
  "tests/pages/*.test.ts",
  "tests/what-visitors-type/*.test.ts",
];
/** Tests that use the database: run on both. */
const onBothDatabases = [
  "packages/server/src/**",
  "tests/contract/**",
  "tests/faults/**",
  "tests/kill/**",
  "tests/growth/**",
  "tests/rights/**",
];
/** Among these, what is the same whatever the database is: HTTP, processes, limits in memory and threads. */
const onSqliteAlone = [
  "packages/server/src/main.test.ts",
  "packages/server/src/api-document/**",
  "packages/server/src/http/**",
  "packages/server/src/mail/mail-languages.test.ts",
  "packages/server/src/metrics/process-metrics.test.ts",
  "packages/server/src/submissions/strip-thread.test.ts",
  "packages/server/src/rate-limits/password-queue.test.ts",
  "packages/server/src/doctor/check-mail.test.ts",
  "packages/server/src/oidc/admission.test.ts",
  "packages/server/src/oidc/forged-tokens.test.ts",
  "packages/server/src/oidc/provider-away.test.ts",
  "packages/server/src/rate-limits/**",
];
/**
 * Among these, what `npm test` itself runs on PostgreSQL as well: migrations, connections and errors of the database, the
 * stores of submissions and deliveries, and the contract (docs/decisions/0025-what-runs-on-postgresql.md). All others follow in
 * `npm run test:postgres`, which `.ci/run` runs too; so does naming one.
 */
const onPostgresAtOnce = [
  "packages/server/src/database/**",
  "packages/server/src/deliveries/delivery-store.test.ts",
  "packages/server/src/submissions/{ingest,submission}.test.ts",
  "tests/contract/contract.test.ts",
];
/** Tests of a client's view: on SQLite of the built service, which is what is installed, on PostgreSQL of the sources. */
const onTheBuild = ["tests/contract/**"];
/** Tests of several processes on one database: SQLite serves one. In `npm run test:postgres`, and by name. */
const onPostgresOnly = ["tests/postgres/**"];

const testDatabase = join(import.meta.dirname, "../packages/server/src/testing/test-database.ts");
/** Imported by each file that runs a sample of its cases. */
const sample = join(import.meta.dirname, "../tests/support/sample.ts");
/** Every file is a process of its own, and each would compile the same modules: a third of the time of a short one. */
const compileCache = join(import.meta.dirname, "../node_modules/.cache/sealpost-compile");

process.chdir(join(import.meta.dirname, ".."));
const ourFlags = ["--postgres", "--dashboard", "--embed", "--cases"];
const isPostgresAlone = process.argv.includes("--postgres");
const isDashboardAlone = process.argv.includes("--dashboard");
const isCasesAlone = process.argv.includes("--cases");
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-") && !ourFlags.includes(argument));
const wished = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const patterns = wished.map((path) => (isFolder(path) ? `${path}/**/*.test.{ts,tsx}` : path));
const files = findFiles();
if (files.length === 0) {
  console.error(`No test file matches ${patterns.join(" ")}`);
  process.exit(1);
}

let runner: ChildProcess | undefined;
let isInterrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    isInterrupted = true;
    // At a terminal the runner has the signal already; the database is stopped once it has ended.
    runner?.kill(signal);
  });
}

installChromium();
// Tests that run again at each change use the sources that change.
const isWatching = flags.includes("--watch");
if (!isWatching) await buildService();
const { SEALPOST_TEST_DATABASE_URL: givenServer, ...environment } = process.env;
const outcomes: string[] = [];
const sqliteFiles = isPostgresAlone ? [] : files;
const askTheBuild = (file: string) => !isWatching && matches(file, onTheBuild) && usesTestDatabase(file);
const passes: TestPass[] = [
  {
    database: "SQLite",
    files: sqliteFiles.filter((file) => !matches(file, onPostgresOnly) && !askTheBuild(file)),
    settings: {},
  },
  { database: "SQLite, the build", files: sqliteFiles.filter(askTheBuild), settings: { SEALPOST_TEST_BUILD: "1" } },
];
const postgresFiles = files.filter(
  (file) =>
    (matches(file, onPostgresOnly) && (isPostgresAlone || patterns.length > 0)) ||
    (((isDashboardAlone && isPostgresAlone) || (matches(file, onBothDatabases) && !isSkippedOnPostgres(file))) &&
      usesTestDatabase(file)),
);
const postgres = postgresFiles.length === 0 ? undefined : await startPostgres();
try {
  if (postgres !== undefined)
    passes.push({
      database: "PostgreSQL",
      files: postgresFiles,
      settings: { SEALPOST_TEST_DATABASE_URL: postgres.url },
    });
  await runPasses(passes.filter(({ files }) => files.length > 0));
} finally {
  await postgres?.remove();
}
console.log(`\n${outcomes.join("\n")}`);

function findFiles(): readonly string[] {
  const exclude = ["**/node_modules/**"];
  if (patterns.length > 0) return globSync(patterns, { exclude }).sort();
  if (isDashboardAlone) return globSync(dashboardFlows).sort();
  if (process.argv.includes("--embed")) return globSync(embedPages).sort();
  const found = globSync(everything, { exclude: [...exclude, ...dashboardFlows, ...embedPages] }).sort();
  return isCasesAlone ? found.filter((file) => imports(file, sample)) : found;
}

/** Where one file or folder was asked for by name, it runs on both. */
function isSkippedOnPostgres(file: string): boolean {
  if (patterns.length > 0) return false;
  return matches(file, onSqliteAlone) || (!isPostgresAlone && !matches(file, onPostgresAtOnce));
}

async function startPostgres(): Promise<Pick<PostgresServer, "url" | "remove"> | undefined> {
  if (givenServer !== undefined) return { url: givenServer, remove: async () => {} };
  try {
    return await startPostgresServer();
  } catch (error) {
    outcomes.push("PostgreSQL: NOT TESTED, because it did not start");
    console.error(error);
    // Where nobody reads the line above, it must not pass for tested.
    if (process.env.CI !== undefined) process.exitCode = 1;
    return undefined;
  }
}

/** All at once, so that no processor waits for the last file of one before the next one begins. */
async function runPasses(passes: readonly TestPass[]): Promise<void> {
  // The runner's own flags, which choose tests by their names or watch files, are about the files themselves; and of a file
  // alone the runner says more about an error that nobody caught.
  if (flags.length > 0 || files.length === 1) {
    for (const { database, files, settings } of passes) await runTests(database, files, settings);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), "sealpost-test-groups-"));
  try {
    const names = passes.map(({ database, files }) => `${database} (${files.length} files)`);
    await runTests(names.join(", "), writeTestGroups(groupTestFiles(passes), folder), {});
    outcomes.unshift(`${printSlowest(folder)}\n`);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function runTests(
  name: string,
  runnable: readonly string[],
  settings: Readonly<Record<string, string>>,
): Promise<void> {
  if (isInterrupted) return;
  console.log(`\n${name}\n`);
  const start = performance.now();
  runner = spawn(
    process.execPath,
    [
      "--conditions=@sealpost/source",
      // MiB. Most of what a test makes is short-lived: collected less often, it costs a twelfth of the processor time less.
      "--max-semi-space-size=64",
      "--test",
      // Four files at once, whatever the machine: each may start a server and a browser, and time is spent waiting for them.
      "--test-concurrency=4",
      // Far above what any test needs, so that it only ends one that hangs; thirty kills on a busy machine take their time.
      `--test-timeout=${findTimeout(process.env)}`,
      ...flags,
      ...runnable,
    ],
    // The kill test runs thirty rounds by itself (`npm run test:kill`) and three as one test among all.
    {
      stdio: "inherit",
      env: {
        NODE_COMPILE_CACHE: compileCache,
        SEALPOST_KILL_ROUNDS: "3",
        ...(isCasesAlone && { SEALPOST_CASES: "all" }),
        ...(!isWatching && { SEALPOST_TEST_PROGRAM: join(serviceFolder, "sealpost-server.js") }),
        ...environment,
        ...settings,
      },
    },
  );
  const [code] = await once(runner, "exit");
  const seconds = Math.round((performance.now() - start) / 1000);
  outcomes.push(`${name}: ${code === 0 ? "passed" : "FAILED"} in ${seconds} s`);
  if (code !== 0) process.exitCode = 1;
}

/** Milliseconds. `npm run test:kill:keys` kills some 400 times in one file. */
function findTimeout({ SEALPOST_KILL_ROUNDS: rounds, SEALPOST_KEY_KILLS: keyKills }: NodeJS.ProcessEnv): number {
  if (keyKills !== undefined) return 14_400_000;
  return rounds === undefined ? 600_000 : 900_000;
}

function matches(file: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matchesGlob(file, glob));
}

/** Whether a file gets its database from where the variable of the second run is read. */
function usesTestDatabase(file: string): boolean {
  return imports(file, testDatabase);
}

/** Whether a file imports another one, by whatever detour. */
function imports(file: string, wanted: string, seen = new Set<string>()): boolean {
  const path = resolve(file);
  if (path === wanted) return true;
  if (seen.has(path) || !existsSync(path)) return false;
  seen.add(path);
  const named = readFileSync(path, "utf8").matchAll(/\b(?:from|import)\s*\(?\s*"(\.[\w./-]+)"/g);
  return [...named].some(([, name]) => name !== undefined && imports(join(dirname(path), name), wanted, seen));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
