import { spawn } from "node:child_process";
import { once } from "node:events";
import { globSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { groupTestFiles, writeTestGroups } from "../../scripts/test-groups.ts";

const everything = ["packages/server/src", "tests/contract", "tests/faults", "tests/kill", "tests/postgres"];
/** Tests that start PostgreSQL themselves: their servers are not the ones that this is about. */
const withTheirOwn = /\b(startPostgresServer|startPair)\b/;

export interface ServiceTestsOptions {
  /** Parameters of the command: folders, files, and the runner's own flags. */
  readonly parameters: readonly string[];
  /** The name of the database, for the titles of the suites. */
  readonly database: string;
}

/** The files to test, and the flags of the runner. */
export interface ServiceTests {
  readonly files: readonly string[];
  /** Runs them; gives the runner's exit code. */
  run(environment: Readonly<Record<string, string>>): Promise<number>;
}

/** All that the PostgreSQL pass of `npm test` runs, for a server that is reached or arranged otherwise. */
export function chooseServiceTests({ parameters, database }: ServiceTestsOptions): ServiceTests {
  process.chdir(join(import.meta.dirname, "..", ".."));
  const wished = parameters.filter((parameter) => !parameter.startsWith("-"));
  const flags = parameters.filter((parameter) => parameter.startsWith("-"));
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
    flags.length > 0 ? files : writeTestGroups(groupTestFiles([{ database, files, settings: {} }]), folder);
  return {
    files,
    async run(environment) {
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
        { stdio: "inherit", env: { SEALPOST_KILL_ROUNDS: "3", ...process.env, ...environment } },
      );
      for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void runner.kill(signal));
      const [code] = await once(runner, "exit");
      return code ?? 1;
    },
  };
}
