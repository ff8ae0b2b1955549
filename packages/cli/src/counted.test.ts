import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { counted } from "./counted.ts";

test("one thing is one, and none and several are many", () => {
  assert.deepEqual(
    [0, 1, 2].map((count) => counted(count, "submission")),
    ["0 submissions", "1 submission", "2 submissions"],
  );
  assert.equal(counted(1, "entry", "entries"), "1 entry");
});

/** Verbs and other words after a name; or units, which are never one. */
const verbs =
  /^(allows|as|calls|comes|contains|does|has|holds|is|its|lacks|ms|names|opens|pins|says|stays|takes|this|was|[a-z]*less)$/;
/** Constants and sums above one. */
const many = /^(Math\.floor\(days\)|minutesMax|manyMax|answerMilliseconds \/ 1000|file\.length)$/;

test("no sentence of the command line puts a plural after a number by itself: `counted` does", () => {
  const found = globSync("**/*.ts", { cwd: import.meta.dirname })
    .filter((path) => !/\.test\.ts$|testing|^counted\.ts$/.test(path))
    .flatMap((path) =>
      [
        ...readFileSync(join(import.meta.dirname, path), "utf8").matchAll(
          /\$\{((?:[^{}]|\{[^{}]*\})*)\} ((?:of them were)|[a-z]+s)\b/g,
        ),
      ]
        .filter(([, gap = "", word = ""]) => !verbs.test(word) && !many.test(gap))
        .map(([text]) => `${path}: ${text}`),
    );
  assert.deepEqual(found, []);
});
