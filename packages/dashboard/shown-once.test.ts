import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

// A mutation has its result once its `onSuccess` and `onSettled` are over. With a refetch among them, whose answer may hang, a link or
// a code that is shown this once is never seen. `gcTime: 0` marks what must not outlive its dialog.

const sources = join(import.meta.dirname, "src");

/** The calls of `useMutation` whose result is shown once. */
function findMutations(code: string): string[] {
  return Array.from(code.matchAll(/useMutation\(\{/g), ({ index }) => {
    let depth = 0;
    for (let end = index; end < code.length; end++) {
      if (code[end] === "(") depth++;
      if (code[end] === ")" && --depth === 0) return code.slice(index, end + 1);
    }
    throw new Error("A call without an end");
  }).filter((call) => /\bgcTime: 0\b/.test(call));
}

const waits = /(?<!void )(?:queryClient|queries)\.(?:invalidate|refetch)Queries\(|(?<!void )\.refetch\(|return renew\(/;

test("what is shown once waits for nothing that is asked for again", () => {
  const found = globSync("**/*.tsx", { cwd: sources }).flatMap((file) =>
    findMutations(readFileSync(join(sources, file), "utf8")).map((call) => ({ file, call })),
  );
  assert.ok(found.length > 10, "they are found at all");
  assert.deepEqual(
    found.filter(({ call }) => waits.test(call)).map(({ file }) => file),
    [],
  );
  assert.match("onSuccess: () => queryClient.invalidateQueries(one)", waits);
});
