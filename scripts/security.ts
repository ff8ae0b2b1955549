/**
 * `npm run security`: what outside lists and tools say about Sealpost. Ends with 1 when any of them finds something.
 * `-- --quick` runs what needs no service and no browser; `npm run check` has that as a step.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { checkLockFile } from "./security/lock-file.ts";
import { checkRegularExpressions } from "./security/regular-expressions.ts";
import type { Report } from "./security/report.ts";

const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
const root = join(import.meta.dirname, "..");
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));

const quick: readonly (readonly [string, () => Report | Promise<Report>])[] = [
  ["lock file", () => checkLockFile(readJson("package-lock.json"), readJson("package.json"))],
  ["regular expressions", checkRegularExpressions],
];
const slow: typeof quick = [
  ["naughty strings", async () => (await import("./security/naughty-strings.ts")).checkNaughtyStrings()],
  ["Schemathesis", fuzzApi],
  ["abuse from 50 addresses", async () => (await import("./security/abuse.ts")).checkAbuse()],
];

let failures = 0;
for (const [name, run] of options.quick ? quick : [...quick, ...slow]) {
  const began = Date.now();
  const { summary, findings } = await run();
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`${findings.length === 0 ? "ok    " : "FAILED"}  ${name}: ${summary} (${seconds} s)`);
  for (const finding of findings) console.log(`        ${finding}`);
  if (findings.length > 0) failures += 1;
}
process.exitCode = failures === 0 ? 0 : 1;

/** `npm run fuzz:api` as it is; its output is shown only when it has found something. */
function fuzzApi(): Report {
  const script = join(root, "scripts/fuzz-api.ts");
  const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=@sealpost/source", script], {
    encoding: "utf8",
    maxBuffer: 256 * 1024 * 1024,
  });
  const runs = stdout.split("\n").filter((line) => /^(ok|FAILED) {2,}/.test(line));
  return {
    summary: runs.map((line) => line.replace(/^\w+ +/, "")).join("; ") || "did not run",
    findings: status === 0 ? [] : `${stdout}${stderr}`.trimEnd().split("\n"),
  };
}
