import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const version = "8.9.2";

/**
 * The `node_modules` of a folder of its own with TinyMCE, which is installed into it once; or `undefined` where the registry isn't reached.
 * TinyMCE is under the GPL: it is tried, is part of nothing that is built here, and so not in the lock file.
 */
export function installTinymce(): string | undefined {
  const folder = join(tmpdir(), `sealpost-tinymce-${version}`);
  const installed = join(folder, "node_modules");
  if (existsSync(join(installed, "tinymce/tinymce.js"))) return installed;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "package.json"), JSON.stringify({ private: true }));
  const flags = ["--no-audit", "--no-fund", "--ignore-scripts", "--no-package-lock"];
  const { status } = spawnSync("npm", ["install", `tinymce@${version}`, ...flags], { cwd: folder, timeout: 120_000 });
  return status === 0 ? installed : undefined;
}
