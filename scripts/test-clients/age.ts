import { existsSync } from "node:fs";
import { join } from "node:path";
import { isPresent, type Language, LanguageAbsentError, run } from "./language.ts";

const root = join(import.meta.dirname, "../..");
const folder = join(root, "node_modules/.cache/sealpost-age");
const program = join(folder, "age");
const version = "v1.3.2";

/** No client but the program `age`, which opens envelopes: built from its source by Go, once. */
export const age: Language = {
  name: "age",
  async run(live) {
    if (!existsSync(program)) {
      if (!isPresent("go", "version")) throw new LanguageAbsentError("Go is absent, which age is built with");
      await run(root, "go", ["install", `filippo.io/age/cmd/age@${version}`], { GOBIN: folder });
    }
    const files = ["packages/envelope/age-program.check.ts", "packages/cli/age-program.check.ts"];
    const parameters = ["--conditions=@sealpost/source", "--disable-warning=ExperimentalWarning", "--test", ...files];
    await run(root, process.execPath, parameters, { ...live, SEALPOST_TEST_AGE: program });
  },
};
