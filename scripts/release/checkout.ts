import { execFileSync } from "node:child_process";
import { cpSync, globSync } from "node:fs";
import { join } from "node:path";
import { root } from "./packages.ts";

/** Copies the sources as git sees them, what is not committed yet included, and the libraries; nothing that was built. */
export function copyCheckout(target: string): void {
  const files = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], { cwd: root });
  for (const file of new Set(files.toString("utf8").split("\0").filter(Boolean)))
    cpSync(join(root, file), join(target, file), { recursive: true });
  for (const libraries of ["node_modules", ...globSync("packages/*/node_modules", { cwd: root })])
    cpSync(join(root, libraries), join(target, libraries), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (path) => !path.endsWith("node_modules/.cache"),
    });
}
