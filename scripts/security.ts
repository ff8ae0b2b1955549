/**
 * `npm run security`: what outside lists and tools say about Sealpost. Ends with 1 when any of them finds something.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkLockFile } from "./security/lock-file.ts";
import { checkRegularExpressions } from "./security/regular-expressions.ts";
import type { Report } from "./security/report.ts";

const root = join(import.meta.dirname, "..");
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"));

const parts: [string, () => Report | Promise<Report>][] = [
  ["lock file", () => checkLockFile(readJson("package-lock.json"), readJson("package.json"))],
  ["regular expressions", checkRegularExpressions],
];

for (const [name, run] of parts) {
  const began = Date.now();
  const { summary, findings } = await run();
  const seconds = Math.round((Date.now() - began) / 1000);
  console.log(`${findings.length === 0 ? "ok    " : "FAILED"}  ${name}: ${summary} (${seconds} s)`);
  for (const finding of findings) console.log(`        ${finding}`);
  if (findings.length > 0) process.exitCode = 1;
}
