import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { withAge } from "./age.ts";
import { isPresent, type Language, LanguageAbsentError, run } from "./language.ts";

const root = join(import.meta.dirname, "../..");
const sources = join(root, "clients/python");
const versionCheck = "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))";
const quietly = { PIP_DISABLE_PIP_VERSION_CHECK: "1" };

/** As pyproject.toml says; the oldest that is here, since what runs there runs in the newer ones. */
const programs = [process.env.SEALPOST_TEST_PYTHON ?? "python3.11", "python3", "python"];
/** As docs/receivers.md says of the lines that it shows. */
const guideProgram = process.env.SEALPOST_TEST_GUIDE_PYTHON ?? "python3.9";

/** The oldest Python here that has what the package needs, with pip; `undefined` if there is none. */
export function findPython(): string | undefined {
  return programs.find((name) => isPresent(name, "-c", versionCheck));
}

/** The package, and the guide's lines in the oldest Python that they are for. Needs the package registry. */
export const python: Language = {
  name: "Python",
  async run(prepare) {
    const program = findPython();
    if (program === undefined) throw new LanguageAbsentError("Python 3.11 or newer with pip is absent");
    await inEnvironment(program, [`${sources}[test]`], async (inFolder, folder) => {
      await run(sources, inFolder, ["-m", "ruff", "check", "--quiet", "--no-cache"]);
      await run(sources, inFolder, ["-m", "ruff", "format", "--check", "--quiet", "--no-cache"]);
      await run(sources, inFolder, ["-m", "mypy", "--cache-dir", folder, "src", "tests"]);
      await run(sources, inFolder, ["-m", "pytest", "-p", "no:cacheprovider", "--quiet"], {
        PYTHONDONTWRITEBYTECODE: "1",
        ...(await withAge(await prepare())),
      });
    });
    await testGuide();
  },
};

async function testGuide(): Promise<void> {
  if (!isPresent(guideProgram, "-c", "import venv, ensurepip"))
    return console.log(`The guide's lines were not run by Python 3.9: ${guideProgram} is absent`);
  await inEnvironment(guideProgram, ["cryptography"], (inFolder) =>
    run(
      root,
      process.execPath,
      ["--conditions=@sealpost/source", "--test", "--test-name-pattern=Python", "tests/docs/receivers.test.ts"],
      { SEALPOST_TEST_GUIDE_PYTHON: inFolder },
    ),
  );
}

/** A virtual environment with these packages, while `use` runs. */
async function inEnvironment(
  program: string,
  packages: readonly string[],
  use: (inFolder: string, folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "sealpost-python-"));
  try {
    await run(folder, program, ["-m", "venv", folder]);
    const inFolder = join(folder, process.platform === "win32" ? "Scripts" : "bin", "python");
    await run(folder, inFolder, ["-m", "pip", "install", "--quiet", ...packages], quietly);
    await use(inFolder, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
