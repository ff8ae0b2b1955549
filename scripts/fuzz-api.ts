/**
 * `npm run security -- fuzz`: Schemathesis (from PyPI) reads the OpenAPI document of a running service and looks for answers that
 * break it, with all of its checks on, once with a session token and once with an API key. Ends with 1 on any failure.
 * Everything that is excepted stands with its reason in fuzz-api/schemathesis.toml.
 *
 * `-- --seed NUMBER` makes another run, `-- --max-examples NUMBER` a longer one. What Schemathesis draws hangs on the seed;
 * the steps of its last phase and the ids of the service do not, so a failure there may need more than one run to show again.
 * Further words go to Schemathesis: `-- -- --phases stateful`.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { InstallationError, installSchemathesis } from "./fuzz-api/install-schemathesis.ts";
import { type Credentials, startTarget } from "./fuzz-api/target.ts";

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: "string", default: "1" }, "max-examples": { type: "string", default: "50" } },
});

try {
  const schemathesis = installSchemathesis();
  for (const credential of ["sessionToken", "apiKey"] as const) {
    const began = Date.now();
    const status = await fuzz(schemathesis, credential);
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(`${status === 0 ? "ok    " : "FAILED"}  ${credential}, seed ${options.seed}, ${seconds} s\n`);
    if (status !== 0) process.exitCode = 1;
  }
} catch (error) {
  if (!(error instanceof InstallationError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** One run against a fresh service, so that both find the same. The exit code. */
async function fuzz(schemathesis: string, credential: keyof Credentials): Promise<number> {
  const target = await startTarget();
  const folder = mkdtempSync(join(tmpdir(), "sealpost-fuzz-"));
  try {
    const known = join(folder, "known.json");
    const users = join(folder, "users.json");
    const report = join(folder, "report.json");
    writeFileSync(known, JSON.stringify(target.known));
    writeFileSync(
      users,
      JSON.stringify(toUsers({ owner: target.owner[credential], stranger: target.stranger[credential] })),
    );
    const settings = join(import.meta.dirname, "fuzz-api");
    const child = spawn(
      schemathesis,
      [
        ["--config-file", join(settings, "schemathesis.toml")],
        ["run", `${target.url}/api/openapi.json`],
        ["--seed", options.seed],
        ["--max-examples", options["max-examples"]],
        ["--report", "json", "--report-json-path", report],
        positionals,
      ].flat(),
      {
        cwd: folder, // whatever it leaves goes with it
        stdio: "inherit",
        env: {
          ...process.env,
          SEALPOST_FUZZ_HOOKS: join(settings, "hooks.py"),
          SEALPOST_FUZZ_KNOWN: known,
          SEALPOST_FUZZ_USERS: users,
          PYTHONDONTWRITEBYTECODE: "1",
        },
      },
    );
    const [code] = await once(child, "exit");
    // Schemathesis itself ends with 0 when it had to break off a scenario.
    return code === 0 && countErrors(report) > 0 ? 1 : (code ?? 1);
  } finally {
    rmSync(folder, { recursive: true });
    await target.stop();
  }
}

function countErrors(report: string): number {
  const { test_cases } = JSON.parse(readFileSync(report, "utf8")) as { test_cases: { errored: number } }; // its format
  if (test_cases.errored > 0) console.error(`${test_cases.errored} scenarios broke off`);
  return test_cases.errored;
}

/** The format of Web Fuzzing Commons, by which Schemathesis also learns who must not see what the owner made. */
function toUsers(tokens: Readonly<Record<string, string>>) {
  const auth = Object.entries(tokens).map(([name, token]) => ({
    name,
    fixedHeaders: [{ name: "Authorization", value: `Bearer ${token}` }],
  }));
  return { auth };
}
