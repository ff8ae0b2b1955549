import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const root = join(import.meta.dirname, "..", "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");

/** Names of the lists in the API's answers, from the types that are made of its OpenAPI document. */
function listNames(): readonly string[] {
  const names = new Set<string>();
  const lines = read("packages/sdk/src/api-types.ts").split("\n");
  for (const [index, line] of lines.entries()) {
    const single = /^\s+(\w+)\??: .*\[\];$/.exec(line)?.[1];
    if (single !== undefined) names.add(single);
    const [end] = /^\s+\}(?=\)?\[\];$)/.exec(line) ?? [];
    if (end === undefined) continue;
    const indent = end.slice(0, -1);
    const opening = lines
      .slice(0, index)
      .findLast((before) => before.startsWith(indent) && before[indent.length] !== " ");
    const name = /^\s+(\w+)\??: /.exec(opening ?? "")?.[1];
    if (name !== undefined) names.add(name);
  }
  return [...names];
}

/** Other names of such lists in our sources. */
const otherNames = ["versions", "published", "formKeys", "rows", "pages", "streamed", "listed", "shown"];

/** Files that take one of a list by its place, with the reason for which that is right. */
const allowed: Readonly<Record<string, string>> = {
  "packages/cli/src/envelope-command.ts": "the only one: several are refused",
  "packages/cli/src/new-submissions.ts": "a list of one",
  "packages/dashboard/src/account/audit-log-page.tsx": "pages in the order in which they were asked for",
  "packages/dashboard/src/envelopes/find-exposed.ts": "any to begin with: the highest is looked for",
  "packages/dashboard/src/form/embed-snippets.ts": "the only one",
  "packages/dashboard/src/forms/forms-page.tsx": "pages in the order in which they were asked for",
  "packages/dashboard/src/statistics/chart.tsx": "the first day that is drawn, in whatever order",
  "packages/dashboard/src/submissions/bin-page.tsx": "pages in the order in which they were asked for",
  "packages/dashboard/src/submissions/use-focus-after.ts": "ids in the order of the table that is shown",
  "packages/dashboard/src/submissions/row-order.ts": "the stream continues after what came last",
  "packages/dashboard/src/submissions/submission-deliveries.tsx": "pages in the order in which they were asked for",
};

function findByPlace(text: string, names: readonly string[]): readonly string[] {
  const name = `(?:${names.join("|")})`;
  const indexed = new RegExp(
    `\\b${name}\\b(?:\\(\\))?\\)?\\??\\.?(?:\\.at\\((?:-1|0)\\)|at\\((?:-1|0)\\)|\\[0\\])`,
    "g",
  );
  const taken = new RegExp(`\\b(?:const|let) \\[[^\\]]+\\] = [^;\\n]*\\b${name}\\b(?: \\?\\? \\[\\])?\\)?;`, "g");
  return [indexed, taken].flatMap((pattern) => Array.from(text.matchAll(pattern), ([found]) => found));
}

test("no page, command or client takes a key, a submission or anything else that the service lists by its place", () => {
  const names = [...listNames(), ...otherNames];
  for (const expected of ["keys", "forms", "submissions", "envelopes"]) assert.ok(names.includes(expected), expected);
  for (const sample of [
    "keys?.at(-1)",
    "data.keys[0]",
    "const [newest] = formKeys ?? [];",
    "const [a] = list.submissions;",
  ])
    assert.equal(findByPlace(sample, names).length, 1, sample);
  const found = new Map<string, readonly string[]>();
  for (const path of globSync("packages/{cli,dashboard,sdk}/src/**/*.{ts,tsx}", { cwd: root }).toSorted()) {
    if (/\.test\.tsx?$|\/testing\//.test(path)) continue;
    const places = findByPlace(read(path), names);
    if (places.length > 0) found.set(path, places);
  }
  // Both ways: a place that is gone leaves the list as well.
  const unknown = [...found].filter(([path]) => allowed[path] === undefined);
  assert.deepEqual([unknown, Object.keys(allowed).filter((path) => !found.has(path))], [[], []]);
});
