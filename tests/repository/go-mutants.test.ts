import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "../../clients/go/envelope");
/** A row: its name, file, and two texts in the spellings of Go. */
const text = String.raw`("(?:[^"\\]|\\.)*"|${"`[^`]*`"})`;
const rows = new RegExp(String.raw`^\t\{${text}, ${text}, ${text}, ${text}\},$`, "gm");

/** The value of a text in Go; those of the rows are spelled as in JSON, but for a tab. */
function parseText(literal: string): string {
  return literal.startsWith("`") ? literal.slice(1, -1) : JSON.parse(literal.replaceAll("\t", "\\t"));
}

test("each mistake that the Go tests have to find is still in its file, once, so that `npm run test:clients` can make it", () => {
  const source = readFileSync(join(folder, "mutants_test.go"), "utf8");
  const mutants = [...source.matchAll(rows)].map((row) => row.slice(1).map(parseText));
  const lines = source.slice(source.indexOf("var mutants ="), source.indexOf("\n}\n", source.indexOf("var mutants =")));
  assert.equal(mutants.length, lines.split("\n").length - 1, "every line of the table was read");
  const wrong = mutants.filter(([, file = "", from = ""]) => {
    return readFileSync(join(folder, file), "utf8").split(from).length !== 2;
  });
  assert.deepEqual(
    wrong.map(([name]) => name),
    [],
  );
});
