/**
 * `npm test`: every test of the repository, browser included. `npm test -- packages/wire` runs one folder,
 * `npm test -- tests/end-to-end/main-job.test.ts --test-name-pattern=Unicode` one file with the runner's own flags.
 */
import { spawn } from "node:child_process";
import { globSync, statSync } from "node:fs";
import { join } from "node:path";
import { installChromium } from "./install-chromium.ts";

const everything = [
  "architecture.test.ts",
  "packages/*/*.test.ts",
  "packages/*/src/**/*.test.{ts,tsx}",
  "tests/**/*.test.ts",
];

process.chdir(join(import.meta.dirname, ".."));
const flags = process.argv.slice(2).filter((argument) => argument.startsWith("-"));
const wished = process.argv.slice(2).filter((argument) => !argument.startsWith("-"));
const patterns = wished.map((path) => (isFolder(path) ? `${path}/**/*.test.ts` : path));
const files = globSync(patterns.length > 0 ? patterns : everything, { exclude: ["**/node_modules/**"] });
if (files.length === 0) {
  console.error(`No test file matches ${patterns.join(" ")}`);
  process.exit(1);
}

installChromium();

const runner = spawn(
  process.execPath,
  [
    "--conditions=@sealpost/source",
    "--test",
    // Two files at once, whatever the machine: each may start a server and a browser, and time is spent waiting for them.
    "--test-concurrency=2",
    // Far above what any test needs, so that it only ends one that hangs.
    "--test-timeout=300000",
    ...flags,
    ...files.sort(),
  ],
  // The kill test runs 20 rounds by itself (`npm run test:kill`) and three as one test among all.
  { stdio: "inherit", env: { SEALPOST_KILL_ROUNDS: "3", ...process.env } },
);
runner.on("exit", (code) => process.exit(code ?? 1));

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
