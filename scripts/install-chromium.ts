import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { chromium } from "playwright-core";
import { chromiumAdvice, findChromium } from "../tests/support/chromium.ts";

const playwright = join(dirname(createRequire(import.meta.url).resolve("playwright-core/package.json")), "cli.js");
const canInstallPackages = process.getuid?.() === 0 && run("apt-get", ["--version"], "ignore");

/**
 * Leaves a machine with a Chromium that the tests can start, or says in one line what to do and ends the process with 1.
 * Playwright's build first, because it is the version that the tests were written with; its download can be out of reach
 * behind a proxy that has a Debian mirror, so Debian's package comes after it.
 */
export function installChromium(): void {
  try {
    if (findChromium() !== undefined) return;
  } catch (error) {
    console.error(error instanceof Error ? error.message : error); // a CHROMIUM_PATH that does not run
    process.exit(1);
  }
  console.log("No Chromium found, installing Playwright's …");
  run(process.execPath, [playwright, "install", "chromium"]);
  if (findChromium() !== undefined) return;
  if (canInstallPackages && existsSync(chromium.executablePath())) {
    console.log("Installing the libraries that it needs …");
    run(process.execPath, [playwright, "install-deps", "chromium"]);
    if (findChromium() !== undefined) return;
  }
  if (canInstallPackages) {
    console.log("Installing Debian's package chromium-headless-shell or chromium …");
    if (run("apt-get", ["update"])) {
      for (const name of ["chromium-headless-shell", "chromium"]) {
        run("apt-get", ["install", "-y", name]);
        if (findChromium() !== undefined) return;
      }
    }
  }
  console.error(chromiumAdvice);
  process.exit(1);
}

function run(command: string, args: readonly string[], stdio: "inherit" | "ignore" = "inherit"): boolean {
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
  return spawnSync(command, args, { stdio, env, timeout: 600_000 }).status === 0;
}

if (import.meta.main) installChromium();
