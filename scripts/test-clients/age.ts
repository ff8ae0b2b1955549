import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { isPresent, type Language, LanguageAbsentError, run } from "./language.ts";
import type { LiveEnvironment } from "./live-service.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "node_modules/.cache/sealpost-age");
const program = join(folder, "age");
const version = "v1.3.2";

/** The program `age`, built from its source by Go, once. */
async function buildAge(): Promise<string> {
  if (!existsSync(program)) {
    if (!isPresent("go", "version")) throw new LanguageAbsentError("Go is absent, which age is built with");
    await run(root, "go", ["install", `filippo.io/age/cmd/age@${version}`], { GOBIN: folder });
  }
  return program;
}

/** Environment of a language whose guide opens envelopes with `age`: found first on the path, if it can be had. */
export async function withAge(live: LiveEnvironment): Promise<Readonly<Record<string, string>>> {
  try {
    await buildAge();
    return { ...live, SEALPOST_TEST_AGE: program, PATH: `${folder}${delimiter}${process.env.PATH}` };
  } catch (error) {
    console.log(`Envelopes were not opened with age: ${error instanceof Error ? error.message : error}`);
    return live;
  }
}

/** No client but the program `age`, which opens envelopes. */
export const age: Language = {
  name: "age",
  async run(prepare) {
    await buildAge();
    const files = ["packages/envelope/age-program.check.ts", "packages/cli/age-program.check.ts"];
    const parameters = ["--conditions=@sealpost/source", "--disable-warning=ExperimentalWarning", "--test", ...files];
    await run(root, process.execPath, parameters, { ...(await prepare()), SEALPOST_TEST_AGE: program });
  },
};
