import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

/** Exact, so that a run says today what it said yesterday. */
const version = "4.32.5";

const folder = join(import.meta.dirname, "..", "..", "node_modules", ".cache", "schemathesis", version);
const executables = join(folder, process.platform === "win32" ? "Scripts" : "bin");
const suffix = process.platform === "win32" ? ".exe" : "";

/** A sentence for people about what is missing on this machine. */
export class InstallationError extends Error {}

/** The path of Schemathesis, installed from PyPI into a virtual environment of its own the first time. Throws an InstallationError. */
export function installSchemathesis(): string {
  const schemathesis = join(executables, `schemathesis${suffix}`);
  if (runs(schemathesis)) return schemathesis;
  const python = ["python3", "python"].find((name) => spawnSync(name, ["-c", versionCheck]).status === 0);
  if (python === undefined)
    throw new InstallationError("Fuzzing the API needs Python 3.10 or newer, and there is none on PATH.");
  console.log(`Installing Schemathesis ${version} from PyPI, once ...`);
  step("Python could not make a virtual environment", python, "-m", "venv", "--clear", folder);
  const pip = join(executables, `python${suffix}`);
  step("Schemathesis could not be installed", pip, "-m", "pip", "install", "--quiet", `schemathesis==${version}`);
  return schemathesis;
}

const versionCheck = "import sys; sys.exit(sys.version_info < (3, 10))";

/** An installation that was interrupted has the file, and does not start. */
function runs(path: string): boolean {
  return existsSync(path) && spawnSync(path, ["--version"], { stdio: "ignore" }).status === 0;
}

function step(problem: string, command: string, ...parameters: readonly string[]): void {
  const { status, stderr, error } = spawnSync(command, parameters, {
    encoding: "utf8",
    env: { ...process.env, PIP_DISABLE_PIP_VERSION_CHECK: "1" },
  });
  if (status !== 0) throw new InstallationError(`${problem}:\n${error?.message ?? stderr.trim()}`);
}
