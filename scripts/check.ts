import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** `npm run check`: all that can be checked without running the service. Every step runs, so that one run shows every fault. */
const root = join(import.meta.dirname, "..");
const node = [process.execPath, "--conditions=@sealpost/source"] as const;
const tool = (name: string) => join(root, "node_modules", ".bin", name);

const steps: readonly (readonly [string, readonly string[]])[] = [
  ["build", [process.execPath, join("scripts", "build.ts"), "--quiet"]],
  ["format and lint", [tool("biome"), "ci", "--colors=off", "--diagnostic-level=warn", "."]],
  ...["wire", "pii", "embed", "receiver", "server", "dashboard"].map(
    (name) => [`types of ${name}`, [tool("tsc"), "-p", join("packages", name)]] as const,
  ),
  ["types of tests and scripts", [tool("tsc"), "-p", "tsconfig.tests.json"]],
  ["architecture", [...node, "--test", "architecture.test.ts"]],
  ["documents that merges can double", [...node, "--test", join("tests", "docs", "doubled.test.ts")]],
  ["bundles", [...node, join("packages", "embed", "bundle.check.ts")]],
  ["first load of the dashboard", [...node, join("packages", "dashboard", "first-load.check.ts")]],
  ["API document", [...node, join("scripts", "lint-api.ts")]],
  ["types of the API client", [...node, join("scripts", "generate-api-types.ts"), "--check"]],
  ["lock file and regular expressions", [...node, join("scripts", "security.ts"), "--quick"]],
];

let failures = 0;
for (const [name, [command, ...parameters]] of steps) {
  if (command === undefined || !existsSync(command)) throw new Error(`${command} is not installed. Run npm ci`);
  const { status, stdout, stderr } = spawnSync(command, parameters, { cwd: root, encoding: "utf8" });
  process.stdout.write(`${status === 0 ? "ok    " : "FAILED"}  ${name}\n`);
  if (status !== 0) {
    failures += 1;
    process.stdout.write(`${stdout}${stderr}\n`);
  }
}
process.stdout.write(`${steps.length - failures} passed, ${failures} failed\n`);
process.exitCode = failures === 0 ? 0 : 1;
