/**
 * `npm test`: every test of the repository but the dashboard's flows, the embed's pages, attacks, killed processes, files with hundreds of
 * cases, those of several processes on one PostgreSQL, and what `npm run check` has; browser included, the contract's on the built service; and the core of what asks the database once more on a real
 * PostgreSQL, which is started for it.
 * `npm test -- packages/wire` runs one folder, `npm test -- tests/end-to-end/main-job.test.ts --test-name-pattern=Unicode` one file
 * with the runner's own flags. Seven commands run what it leaves to them, and `.ci/run` runs them all at once:
 * `npm run test:dashboard` (`--dashboard`) the dashboard's flows in Chromium, `npm run test:embed` (`--embed`) the pages of other
 * people with the embed in them, `npm run test:attacks` (`--attacks`) malicious servers and members, and `npm run test:postgres` (`--postgres`) everything that asks the database, on PostgreSQL
 * alone, and what needs it. `--dashboard --postgres` runs the flows on PostgreSQL. `npm run test:cases` (`--cases`) runs files with hundreds of
 * generated cases, of which a sample runs where one is named, and `npm run test:crashes` (`--crashes`) kills processes and fills disks. `npm run test:rights` (`--rights`) takes rights away while requests
 * are under way. `npm run test:rest` (`--rest`) runs these seven next to each other, so that no processor waits for the last
 * file of one of them, and has some things in one way where these have them in several (`listRestPasses`).
 * SEALPOST_TEST_DATABASE_URL names a PostgreSQL server to use instead of starting one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { buildService, serviceFolder } from "../packages/server/build.ts";
import { type PostgresServer, startPostgresServer } from "../packages/server/src/testing/postgres-server.ts";
import { installChromium } from "./install-chromium.ts";
import { groupTestFiles, type TestPass, writeTestGroups } from "./test-groups.ts";
import { isOnPostgres, listNamedPasses, listPasses, listRestPasses, testCommands } from "./test-passes.ts";
import { printSlowest } from "./test-times.ts";

/** Every file is a process of its own, and each would compile the same modules: a third of the time of a short one. */
const compileCache = join(import.meta.dirname, "../node_modules/.cache/sealpost-compile");

process.chdir(join(import.meta.dirname, ".."));
const rest = testCommands.filter((command) => command !== "default");
const ourFlags = ["--rest", ...rest.map((command) => `--${command}`)];
const isPostgresAlone = process.argv.includes("--postgres");
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-") && !ourFlags.includes(argument));
const patterns = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
// Tests that run again at each change use the sources that change.
const isWatching = flags.includes("--watch");
const chosen = choosePasses();
if (chosen.length === 0) {
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
if (!isWatching) await buildService();
const { SEALPOST_TEST_DATABASE_URL: givenServer, ...environment } = process.env;
const outcomes: string[] = [];
const postgres = chosen.some(isOnPostgres) ? await startPostgres() : undefined;
try {
  await runPasses(chosen.flatMap((pass) => toRunnable(pass)));
} finally {
  await postgres?.remove();
}
console.log(`\n${outcomes.join("\n")}`);

function choosePasses(): readonly TestPass[] {
  if (patterns.length > 0) return listNamedPasses(patterns, isPostgresAlone, isWatching);
  if (process.argv.includes("--rest")) return listRestPasses();
  const command = rest.find((command) => process.argv.includes(`--${command}`)) ?? "default";
  return listPasses(command, isPostgresAlone);
}

/** With the address of the server, where it is on PostgreSQL. */
function toRunnable(pass: TestPass): readonly TestPass[] {
  if (!isOnPostgres(pass)) return [pass];
  if (postgres === undefined) return [];
  return [{ ...pass, settings: { ...pass.settings, SEALPOST_TEST_DATABASE_URL: postgres.url } }];
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
  if (flags.length > 0 || passes.every(({ files }) => files.length === 1)) {
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
      // One more than there are processors, since each waits at times for its server and its browser; with more of them, pages of
      // one wait for those of the others. Four on larger machines.
      `--test-concurrency=${Math.min(availableParallelism() + 1, 4)}`,
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
  return rounds === undefined ? 1_200_000 : 1_800_000;
}
