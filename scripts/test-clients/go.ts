import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { isPresent, type Language, LanguageAbsentError, run } from "./language.ts";

const sources = join(import.meta.dirname, "../../clients/go");

/** The package needs nothing but the standard library; that for envelopes is a module of its own, and needs age. */
export const go: Language = {
  name: "Go",
  async run(prepare) {
    // An older Go refuses the package's go.mod, or fetches a newer one.
    if (!isPresent("go", "-C", sources, "list", ".")) throw new LanguageAbsentError("Go 1.26 or newer is absent");
    await run(sources, "go", ["vet", "./..."]);
    await run(sources, "go", ["test", "-count=1", "./..."], await prepare());
    const envelopes = join(sources, "envelope");
    const example = join(envelopes, "example");
    await run(example, "go", ["vet", "./..."]);
    await run(example, "go", ["test", "-count=1", "./..."], await prepare());
    await run(envelopes, "go", ["vet", "./..."]);
    // Its tests are built again for each of some 170 mistakes, which they have to find: as many at once as there are processors. Go remembers the
    // outcome while the module and this variable are the same.
    await run(envelopes, "go", ["test", "-timeout=60m", "./..."], { SEALPOST_TEST_MUTANTS: hashVectors() });
  },
};

/** The vectors are outside the module, so Go would not notice that they have changed. */
function hashVectors(): string {
  const hash = createHash("sha256");
  for (const path of globSync(join(sources, "../../packages/wire/vectors/*.json")).sort())
    hash.update(readFileSync(path));
  return hash.digest("hex");
}
