import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const root = join(import.meta.dirname, "..", "..");
const migrations = "packages/server/src/database/migrations";

export interface OldVersion {
  readonly commit: string;
  /** Its source, built, with its libraries: those of this one where they are the same. */
  readonly folder: string;
  remove(): void;
}

/** The last version that was handed out: every data folder of it has to keep working. */
const baseline = "d16739d";

/** The commit that a name means, or the baseline. Throws a sentence when it is not available. */
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
  const commit = git("rev-parse", "--verify", "--quiet", `${baseline}^{commit}`);
  if (commit === undefined) throw new Error(`The commit ${baseline} is not here.${remedy}`);
  return commit;
}

/** Checks the commit out next to this one, and builds what its service serves. */
export function checkOutOldVersion(commit: string): OldVersion {
  const parent = mkdtempSync(join(tmpdir(), "sealpost-old-"));
  const folder = join(parent, "sealpost");
  const remove = () => {
    git("worktree", "remove", "--force", folder);
    rmSync(parent, { recursive: true, force: true });
  };
  try {
    execFileSync("git", ["worktree", "add", "--quiet", "--detach", folder, commit], { cwd: root, stdio: "inherit" });
    if (hasSameLibraries(folder)) linkLibraries(folder);
    else execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--silent"], { cwd: folder, stdio: "inherit" });
    execFileSync(process.execPath, ["scripts/build.ts", "--quiet"], { cwd: folder, stdio: "inherit" });
    return { commit, folder, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

function hasSameLibraries(folder: string): boolean {
  const lockFile = "package-lock.json";
  return readFileSync(join(folder, lockFile), "utf8") === readFileSync(join(root, lockFile), "utf8");
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
