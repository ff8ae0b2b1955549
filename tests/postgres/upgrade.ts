/**
 * `npm run test:upgrade`: an older version of this repository hands over to this one, under load, on PostgreSQL and on
 * SQLite. The older version is d16739d; `npm run test:upgrade -- v1.2.0` names another one. Its libraries are
 * installed where they are others.
 * `npm run test:migration` is the same with a million rows on PostgreSQL, whose keys change meanwhile (migration.check.ts).
 * SEALPOST_TEST_DATABASE_URL names a PostgreSQL server to use instead of starting one.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { startPostgresServer } from "../../packages/server/src/testing/postgres-server.ts";
import { checkOutOldVersion, findCommit, type OldVersion } from "../support/old-version.ts";

const isMigration = process.argv.includes("--migration");
process.chdir(join(import.meta.dirname, "..", ".."));
try {
  const commit = findCommit(process.argv.slice(2).find((argument) => !argument.startsWith("-")));
  console.log(
    `From ${execFileSync("git", ["log", "-1", "--format=%h of %cs: %s", commit], { encoding: "utf8" }).trim()}\n`,
  );
  const old = checkOutOldVersion(commit);
  try {
    process.exitCode = await run(old);
  } finally {
    old.remove();
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}

async function run({ folder }: OldVersion): Promise<number> {
  const given = process.env.SEALPOST_TEST_DATABASE_URL;
  const server = given === undefined ? await startPostgresServer() : undefined;
  try {
    const runner = spawn(
      process.execPath,
      [
        "--conditions=@sealpost/source",
        "--test",
        `--test-timeout=${isMigration ? 1_800_000 : 300_000}`,
        "--test-reporter=spec",
        `tests/postgres/${isMigration ? "migration" : "upgrade"}.check.ts`,
      ],
      {
        stdio: "inherit",
        env: {
          ...process.env,
          SEALPOST_TEST_DATABASE_URL: given ?? server?.url,
          SEALPOST_TEST_OLD_VERSION: folder,
        },
      },
    );
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => void runner.kill(signal));
    const [code] = await once(runner, "exit");
    return code ?? 1;
  } finally {
    await server?.remove();
  }
}
