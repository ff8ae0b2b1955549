import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const migrations = "packages/server/src/database/migrations";

export interface OldVersion {
  readonly commit: string;
  /** Its source, built, with the libraries of this one. */
  readonly folder: string;
  remove(): void;
}

/** The commit that a name means, or the one before the newest migration came. Throws a sentence when it is not at hand. */
export function findCommit(name: string | undefined): string {
  const shallow = git("rev-parse", "--is-shallow-repository");
  if (shallow === undefined) throw new Error("There is no git history here: the test needs a clone of the repository");
  const remedy =
    shallow === "true" ? " This clone is shallow: `git fetch --unshallow` brings the history." : " Is it fetched?";
  if (name !== undefined) {
    const commit = git("rev-parse", "--verify", "--quiet", `${name}^{commit}`);
    if (commit === undefined) throw new Error(`There is no commit ${name} here.${remedy}`);
    return commit;
  }
  // At its edge a shallow clone seems to add every file.
  if (shallow === "true") throw new Error(`The commit before the newest migration is not here.${remedy}`);
  const added = git("log", "--diff-filter=A", "--format=%H", "-1", "--", migrations);
  const before = added && git("rev-parse", "--verify", "--quiet", `${added}^`);
  if (before === undefined) throw new Error("There is no commit before the newest migration: name another one");
  return before;
}

/** Checks the commit out beside this one, and builds what its service serves. */
export function checkOutOldVersion(commit: string): OldVersion {
  const parent = mkdtempSync(join(tmpdir(), "sealpost-old-"));
  const folder = join(parent, "sealpost");
  const remove = () => {
    git("worktree", "remove", "--force", folder);
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    execFileSync("git", ["worktree", "add", "--quiet", "--detach", folder, commit], { cwd: root, stdio: "inherit" });
    linkLibraries(folder);
    execFileSync(process.execPath, ["scripts/build.ts", "--quiet"], { cwd: folder, stdio: "inherit" });
    return { commit, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

/** The libraries are the installed ones, and the packages of the workspace its own. */
function linkLibraries(folder: string): void {
  const [installed, linked] = [join(root, "node_modules"), join(folder, "node_modules")];
  mkdirSync(join(linked, "@sealpost"), { recursive: true });
  for (const name of readdirSync(installed))
    if (name !== "@sealpost" && name !== ".cache") symlinkSync(join(installed, name), join(linked, name));
  for (const path of globSync("packages/*", { cwd: folder })) {
    symlinkSync(join(folder, path), join(linked, "@sealpost", basename(path)));
    const own = join(root, path, "node_modules");
    if (existsSync(own)) symlinkSync(own, join(folder, path, "node_modules"));
  }
}

/** The migrations that this version has and the old one does not know. */
export function findNewMigrations(oldFolder: string): readonly string[] {
  const known = readdirSync(join(oldFolder, migrations));
  return readdirSync(join(root, migrations)).filter((name) => !known.includes(name));
}

function git(...parameters: readonly string[]): string | undefined {
  const { status, stdout } = spawnSync("git", parameters, { cwd: root, encoding: "utf8" });
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : undefined;
}
