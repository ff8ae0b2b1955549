import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { Problem, type ProblemCode, problemCodes } from "./problem.ts";
import recorded from "./recorded-codes.json" with { type: "json" };

const root = join(import.meta.dirname, "../../../..");
const sources = globSync("packages/server/src/**/*.ts", { cwd: root })
  .filter((path) => !/\.test\.ts$|testing/.test(path))
  .map((path) => readFileSync(join(root, path), "utf8"));

/** Every `error` with each status that it is answered with, as `conflict 409`. */
function listAnswered(): readonly string[] {
  const usual = problemCodes.map((code) => `${code} ${new Problem(code as "conflict", "Invalid request").status}`);
  const exact = sources.flatMap((text) =>
    [...text.matchAll(/new Problem\(\s*"(\w+)",(?:(?!new Problem|\n\})[\s\S])*?\{\s*status: (\d{3}),?\s*\}/g)].map(
      ([, code, status]) => `${code} ${status}`,
    ),
  );
  const ofNode = sources.flatMap((text) => [...text.matchAll(/^ {2}(?:HPE|ERR_HTTP)_\w+: \[(\d{3}), /gm)]);
  assert.ok(exact.length >= 5 && ofNode.length >= 3, "the sources are found");
  return [...new Set([...usual, ...exact, ...ofNode.map(([, status]) => `bad_request ${status}`)])].toSorted();
}

const answered = listAnswered();

test("the contract's table of errors has each status that an error is answered with, and no other", () => {
  const page = readFileSync(join(root, "docs/contract.md"), "utf8");
  const section = page.slice(page.indexOf("### 4.2 "), page.indexOf("### 4.3 "));
  const shown = [...section.matchAll(/^\| `(\w+)` \| (.+) \|$/gm)].flatMap(([, code, text = ""]) =>
    [...text.matchAll(/\b\d{3}\b/g)].map(([status]) => `${code} ${status}`),
  );
  assert.deepEqual(shown.toSorted(), answered);
});

test("the API's page has a row for each status, with its error", () => {
  const page = readFileSync(join(root, "docs/api.md"), "utf8");
  const section = page.slice(page.indexOf("## When something is refused"), page.indexOf("## Limits"));
  const shown = [...section.matchAll(/^\| (\d{3}) \| (.+) \|$/gm)].flatMap(([, status, text = ""]) =>
    [...text.matchAll(/`(\w+)`/g)].flatMap(([, code]) =>
      problemCodes.includes(code as ProblemCode) ? [`${code} ${status}`] : [],
    ),
  );
  assert.deepEqual([...new Set(shown)].toSorted(), answered);
});

test("the codes of webhook URLs say which sentence the API sends for them", () => {
  const page = readFileSync(join(root, "docs/codes.md"), "utf8");
  const codes = recorded.codes.filter((code) => /^webhook_url_(?!invalid|missing)/.test(code));
  assert.ok(codes.length >= 3);
  for (const code of codes)
    assert.match(page, new RegExp(`^\\| \`${code}\` \\| .*\`details\` .* is \`Must be a valid HTTPS URL\``, "m"));
});
