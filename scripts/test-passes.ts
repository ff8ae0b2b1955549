import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync, statSync } from "node:fs";
import { dirname, join, matchesGlob, resolve } from "node:path";
import type { TestPass } from "./test-groups.ts";

/** The commands, chosen on the command line. */
export const testCommands = [
  "default",
  "dashboard",
  "embed",
  "attacks",
  "cases",
  "crashes",
  "postgres",
  "rights",
] as const;
export type TestCommand = (typeof testCommands)[number];

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
/** Malicious servers and members, and what they leave everybody: `npm run test:attacks`, or by naming one. */
const attacks = ["tests/malicious-member/*.test.ts", "tests/malicious-server/*.test.ts"];
/** Processes that are killed, full disks, starts and stops: `npm run test:crashes`, or by naming one. */
const crashes = ["packages/server/src/main.test.ts", "tests/faults/*.test.ts", "tests/kill/*.test.ts"];
/** Tests of sources and documents, which run nothing: in `npm run check` (`scripts/check.ts`), or by naming one. */
const inCheck = [
  "architecture.test.ts",
  "tests/docs/{citations,doubled}.test.ts",
  "tests/malicious-server/threat-model.test.ts",
  "tests/repository/*.test.ts",
  "tests/words/words.test.ts",
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
 * stores of submissions and deliveries (docs/decisions/0025-what-runs-on-postgresql.md). All others follow in
 * `npm run test:postgres`, which `.ci/run` runs too; so does naming one.
 */
const onPostgresAtOnce = [
  "packages/server/src/database/**",
  "packages/server/src/deliveries/delivery-store.test.ts",
  "packages/server/src/submissions/{ingest,submission}.test.ts",
];
/** Tests of a client's view: on SQLite of the built service, which is what is installed, on PostgreSQL of the sources. */
const onTheBuild = ["tests/contract/**"];
/** Tests of several processes on one database: SQLite serves one. In `npm run test:postgres`, and by name. */
const onPostgresOnly = ["tests/postgres/**"];

/** Every way in which a right ends, and what the background does meanwhile: `npm run test:rights`, or by naming one. */
const rightsChecks = ["tests/rights/*.check.ts", "tests/growth/background-growth.check.ts"];

/** Among these, what a handler decides before its statements, whatever the database: `npm run test:rest` has them on SQLite alone. */
const rightsOnSqlite = ["tests/rights/log-bounds.check.ts", "tests/rights/refused.check.ts"];
/** Samples of `rightsChecks`, which run on PostgreSQL whole. */
const rightsSamples = ["tests/rights/rights.test.ts"];

const testDatabase = join(import.meta.dirname, "../packages/server/src/testing/test-database.ts");
/** Imported by each file that runs a sample of its cases. */
const sample = join(import.meta.dirname, "../tests/support/sample.ts");
const exclude = ["**/node_modules/**"];
const postgres = "PostgreSQL";

/** Files of a process of those commands that are slow throughout, so that no processor waits for one of them at the end. */
const filesMaxOfSlow = 8;

/** Whether a pass needs a PostgreSQL server. */
export function isOnPostgres({ database }: TestPass): boolean {
  return database.startsWith(postgres);
}

/** The service's files, of which `npm run test:rest` runs half on PostgreSQL. */
const halved = ["packages/server/src/**"];

/** How `npm run test:rest` runs what has hundreds of cases: each of them in one way, and a third of the random walks. */
const eachOnce = { SEALPOST_CASES: "each", SEALPOST_WALKS: "20" };

/**
 * The passes of `npm run test:rest`: every command but `default`, next to each other; without what that one runs on PostgreSQL, with each of the
 * cases in one way, which leaves out their samples, and with less on the second database. `draw`: which half of the service's files, by its
 * last bit.
 */
export function listRestPasses(draw = drawByCommit()): readonly TestPass[] {
  const inCases = listFiles("cases");
  const ofCommand = testCommands
    .filter((command) => command !== "default")
    .flatMap((command) => listPasses(command, false).map((pass) => ({ command, pass })));
  return ofCommand.flatMap(({ command, pass }) => {
    const left =
      command === "postgres"
        ? [...onPostgresAtOnce, ...rightsSamples]
        : command === "attacks"
          ? inCases
          : command === "rights" && isOnPostgres(pass)
            ? rightsOnSqlite
            : [];
    const settings = pass.settings.SEALPOST_CASES === undefined ? pass.settings : { ...pass.settings, ...eachOnce };
    const files = pass.files.filter((file) => !matches(file, left));
    return listSome([{ ...pass, settings, files: command === "postgres" ? takeHalf(files, draw) : files }]);
  });
}

/** Every second file of each folder, so that none is left out. */
function takeHalf(files: readonly string[], draw: number): readonly string[] {
  const folders = Map.groupBy(choose(files, halved), (file) => dirname(file)).values();
  const left = new Set(
    [...folders].flatMap((inFolder) => inFolder.filter((_, index) => inFolder.length > 1 && (index ^ draw) & 1)),
  );
  return files.filter((file) => !left.has(file));
}

/** The same for the same commit, and for about every second one the other half. */
function drawByCommit(): number {
  const { stdout } = spawnSync("git", ["rev-parse", "HEAD"], { encoding: "utf8" });
  return Number.parseInt(stdout?.slice(0, 8) || "0", 16);
}

/** The passes of a command; those without a file are left out. */
export function listPasses(command: TestCommand, isPostgresAlone: boolean): readonly TestPass[] {
  const files = listFiles(command);
  const both = files.filter((file) => matches(file, onBothDatabases) && usesTestDatabase(file));
  if (command === "postgres") {
    const all = [...both.filter((file) => !matches(file, onSqliteAlone)), ...choose(files, onPostgresOnly)];
    return listSome([{ database: postgres, files: all.sort(), settings: {}, filesMax: 40 }]);
  }
  if (command === "dashboard" && isPostgresAlone)
    return listSome([{ database: postgres, files: files.filter(usesTestDatabase), settings: {} }]);
  const onPostgres = command === "rights" ? both : choose(both, onPostgresAtOnce);
  const settings = command === "cases" || command === "rights" ? { SEALPOST_CASES: "all" } : {};
  const isSlow = command === "cases" || command === "attacks";
  const passes = [...onSqlite(files, settings), { database: postgres, files: onPostgres, settings }].map((pass) =>
    isSlow ? { ...pass, filesMax: filesMaxOfSlow } : pass,
  );
  // Where two run next to each other, and have a file both, the names tell which it was.
  const named =
    command === "cases" ? passes.map((pass) => ({ ...pass, database: `${pass.database}, all cases` })) : passes;
  return listSome(named);
}

/** The passes of files and folders that were asked for by name: on both databases. `isWatching`: of the sources alone. */
export function listNamedPasses(patterns: readonly string[], isPostgresAlone: boolean, isWatching: boolean) {
  const files = globSync(patterns.map(toPattern), { exclude }).sort();
  const onPostgres = files.filter(
    (file) => matches(file, onPostgresOnly) || (matches(file, onBothDatabases) && usesTestDatabase(file)),
  );
  return listSome([
    ...(isPostgresAlone ? [] : onSqlite(files, {}, !isWatching)),
    { database: postgres, files: onPostgres, settings: {} },
  ]);
}

function onSqlite(files: readonly string[], settings: TestPass["settings"], isBuilt = true): readonly TestPass[] {
  const onSqlite = files.filter((file) => !matches(file, onPostgresOnly));
  const asksTheBuild = (file: string) => isBuilt && matches(file, onTheBuild) && usesTestDatabase(file);
  return [
    { database: "SQLite", files: onSqlite.filter((file) => !asksTheBuild(file)), settings },
    {
      database: "SQLite, the build",
      files: onSqlite.filter(asksTheBuild),
      settings: { ...settings, SEALPOST_TEST_BUILD: "1" },
    },
  ];
}

function listFiles(command: TestCommand): readonly string[] {
  if (command === "dashboard") return globSync(dashboardFlows).sort();
  if (command === "embed") return globSync(embedPages).sort();
  if (command === "rights") return globSync(rightsChecks).sort();
  if (command === "cases") return listSampled();
  const found = globSync(everything, { exclude: [...exclude, ...dashboardFlows, ...embedPages] }).sort();
  const run = found.filter((file) => !matches(file, inCheck));
  if (command === "attacks" || command === "crashes") return choose(run, command === "attacks" ? attacks : crashes);
  const others = run.filter((file) => !matches(file, attacks));
  // A file whose every case runs for each change needs no sample before.
  return command === "default" ? others.filter((file) => !matches(file, crashes) && !imports(file, sample)) : others;
}

/** Those that run a sample of their cases elsewhere, the embed's among them. */
function listSampled(): readonly string[] {
  const found = globSync(everything, { exclude: [...exclude, ...dashboardFlows] }).sort();
  return found.filter((file) => imports(file, sample));
}

const listSome = (passes: readonly TestPass[]) => passes.filter(({ files }) => files.length > 0);
const choose = (files: readonly string[], globs: readonly string[]) => files.filter((file) => matches(file, globs));

function matches(file: string, globs: readonly string[]): boolean {
  return globs.some((glob) => matchesGlob(file, glob));
}

/** Whether a file gets its database from where the variable of the second run is read. */
function usesTestDatabase(file: string): boolean {
  return imports(file, testDatabase);
}

/** Whether a file imports another one, by whatever detour. */
function imports(file: string, wanted: string): boolean {
  const verdicts = verdictsOf.get(wanted) ?? new Map<string, boolean>();
  verdictsOf.set(wanted, verdicts);
  const seen = new Set<string>();
  const isFound = reaches(resolve(file), wanted, verdicts, seen);
  // Modules import each other in circles: what was looked at on the way to it says nothing of those that were passed.
  if (!isFound) for (const path of seen) verdicts.set(path, false);
  return isFound;
}

function reaches(path: string, wanted: string, verdicts: Map<string, boolean>, seen: Set<string>): boolean {
  const verdict = path === wanted || verdicts.get(path);
  if (verdict !== undefined) return verdict;
  if (seen.has(path)) return false;
  seen.add(path);
  const isFound = importsOf(path).some((imported) => reaches(imported, wanted, verdicts, seen));
  if (isFound) verdicts.set(path, true);
  return isFound;
}

/** Whether a file imports the one that was looked for: most tests share most of their modules. */
const verdictsOf = new Map<string, Map<string, boolean>>();
const known = new Map<string, readonly string[]>();

/** The files that one names with a path. They are read once. */
function importsOf(path: string): readonly string[] {
  const before = known.get(path);
  if (before !== undefined) return before;
  const text = existsSync(path) ? readFileSync(path, "utf8") : "";
  const named = text.matchAll(/\b(?:from|import)\s*\(?\s*"(\.[\w./-]+)"/g);
  const found = [...named].flatMap(([, name]) => (name === undefined ? [] : [join(dirname(path), name)]));
  known.set(path, found);
  return found;
}

/** All tests of a folder. */
function toPattern(path: string): string {
  const isFolder = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isFolder ? `${path}/**/*.test.{ts,tsx}` : path;
}
