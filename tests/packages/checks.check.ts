import assert from "node:assert/strict";
import { basename } from "node:path";
import { test } from "node:test";
import { createInstalled, released } from "./folders.ts";

/** Programs alone, which nobody imports. */
const isProgram = (file: string) => /sealpost-(cli|server)-/.test(file);

test("publint finds nothing in any package, and all types are found by every kind of resolution that can load them", (t) => {
  const folder = createInstalled(t, [], ["publint@0.3.25", "@arethetypeswrong/cli@0.18.5"]);
  assert.ok(released.length > 0);
  for (const file of released) {
    const { output } = folder.try(["npx", "publint", "run", file, "--strict"]);
    assert.match(output, /All good!/, `${basename(file)}\n${output}`);
  }
  // Modules alone, which `require` of Node.js 22.12 and newer loads: `commonjs.check.ts` compiles and runs such programs.
  for (const file of released.filter((each) => !isProgram(each)))
    folder.run(["npx", "attw", file, "--ignore-rules", "cjs-resolves-to-esm", "--no-emoji"]);
});
