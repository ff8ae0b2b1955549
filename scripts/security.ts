/**
 * `npm run security`: what outside lists and tools say about Sealpost. Ends with 1 when any of them finds something.
 * `-- --quick` runs what needs no service and no browser; `npm run check` has that as a step. `-- abuse`, `-- fuzz` and
 * `-- slow` run one program alone, with its options after the name.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { build, findPart, type Part, runPart } from "./run-part.ts";
import { checkLockFile } from "./security/lock-file.ts";
import { checkRegularExpressions } from "./security/regular-expressions.ts";
import type { Report } from "./security/report.ts";

export const programs: readonly Part[] = [
  {
    name: "abuse",
    file: "scripts/security/abuse.ts",
    what: "ten minutes of abuse from 50 addresses",
    needsBuild: true,
  },
  { name: "fuzz", file: "scripts/fuzz-api.ts", what: "Schemathesis against a running service", needsBuild: true },
  {
    name: "slow",
    file: "scripts/security/slow-clients.ts",
    what: "thousands of idle and slow clients",
    needsBuild: true,
  },
];

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

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));

async function main([name, ...parameters]: readonly string[]): Promise<number> {
  if (name !== undefined && !name.startsWith("-")) {
    const program = findPart("security", programs, name);
    return program === undefined ? 2 : runPart(program, parameters);
  }
  const { values: options } = parseArgs({ options: { quick: { type: "boolean", default: false } } });
  if (options.quick) return checkAll(quick);
  const code = await build();
  return code === 0 ? checkAll([...quick, ...slow]) : code;
}

async function checkAll(checks: typeof quick): Promise<number> {
  let failures = 0;
  for (const [title, run] of checks) {
    const began = Date.now();
    const { summary, findings } = await run();
    const seconds = Math.round((Date.now() - began) / 1000);
    console.log(`${findings.length === 0 ? "ok    " : "FAILED"}  ${title}: ${summary} (${seconds} s)`);
    for (const finding of findings) console.log(`        ${finding}`);
    if (findings.length > 0) failures += 1;
  }
  return failures === 0 ? 0 : 1;
}

/** `npm run security -- fuzz` without its output, unless it has found something. */
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
