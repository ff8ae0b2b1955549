/**
 * `npm run check -- deploy`: what is in this folder is run, as far as the programs for it are installed. The Dockerfile's own
 * commands make a folder of the image's files, from which the service starts; nginx and Caddy run before a real service;
 * systemd checks the units. What is not installed is named, and nothing of it is checked.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCompose } from "./check/compose.ts";
import { checkImage } from "./check/image.ts";
import { checkCaddy, checkNginx } from "./check/proxies.ts";
import { checkUnits } from "./check/units.ts";

const checks: readonly (readonly [name: string, program: string, check: (folder: string) => Promise<void>])[] = [
  ["Dockerfile", "npm", checkImage],
  ["compose files", "npm", checkCompose],
  ["systemd units", "systemd-analyze", checkUnits],
  ["nginx", "nginx", checkNginx],
  ["Caddy", "caddy", checkCaddy],
];

const wanted = process.argv.slice(2);
for (const [name, program, check] of checks) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  if (spawnSync("which", [program]).status !== 0) {
    console.log(`not checked  ${name}: ${program} is not installed`);
    continue;
  }
  const folder = mkdtempSync(join(tmpdir(), "sealpost-deploy-"));
  try {
    await check(folder);
    console.log(`ok           ${name}`);
  } catch (error) {
    console.log(`FAILED       ${name}`);
    console.error(error);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
