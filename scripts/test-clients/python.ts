import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isPresent, type Language, LanguageAbsentError, run } from "./language.ts";

const sources = join(import.meta.dirname, "../../clients/python");
const versionCheck = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
const quietly = { PIP_DISABLE_PIP_VERSION_CHECK: "1" };

/** The package, installed with what its tests need into a virtual environment of its own. Needs the package registry. */
export const python: Language = {
  name: "Python",
  async run(live) {
    const program = ["python3", "python"].find((name) => isPresent(name, "-c", versionCheck));
    if (program === undefined) throw new LanguageAbsentError("Python 3.11 or newer with pip is absent");
    const folder = mkdtempSync(join(tmpdir(), "sealpost-python-"));
    try {
      await run(folder, program, ["-m", "venv", folder]);
      const inFolder = join(folder, process.platform === "win32" ? "Scripts" : "bin", "python");
      await run(folder, inFolder, ["-m", "pip", "install", "--quiet", `${sources}[test]`], quietly);
      await run(sources, inFolder, ["-m", "ruff", "check", "--quiet", "--no-cache"]);
      await run(sources, inFolder, ["-m", "ruff", "format", "--check", "--quiet", "--no-cache"]);
      await run(sources, inFolder, ["-m", "mypy", "--cache-dir", folder, "src", "tests"]);
      await run(sources, inFolder, ["-m", "pytest", "-p", "no:cacheprovider", "--quiet"], {
        PYTHONDONTWRITEBYTECODE: "1",
        ...live,
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
};
