import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import vectors from "../../packages/wire/vectors/foreign.json" with { type: "json" };

const root = join(import.meta.dirname, "../..");

/** Programs that run the vectors of payloads in each language. */
const runners = {
  JavaScript: ["packages/wire/src/testing/conformance.ts", "packages/wire/src/vectors.test.ts"],
  Go: ["clients/go/vectors_test.go"],
  Python: ["clients/python/tests/test_payloads.py"],
  PHP: ["clients/php/tests/PayloadsTest.php"],
};

// Row B9 of the findings on 6a710908, shown by gen.ts and export.test.ts: a value that was too deep, under a name that came again, was refused by JavaScript and
// PHP, and opened by Python and Go.
test("B9: depth that a later member hides is in the vectors, and the client of each language runs them", () => {
  const outcomeOf = (name: string) => vectors.find((vector) => vector.name === name)?.outcome;
  assert.equal(outcomeOf("nested 71 levels deep where a later member replaces it"), "could_not_be_opened");
  assert.equal(outcomeOf("nested 71 levels deep after an escaped backslash"), "could_not_be_opened");
  assert.equal(outcomeOf("nested 64 levels deep where a later member replaces it"), "opened");
  for (const [language, files] of Object.entries(runners)) {
    const source = files.map((file) => readFileSync(join(root, file), "utf8")).join("\n");
    assert.match(source, /["'/]foreign(?:\.json)?["']/, language);
  }
});
