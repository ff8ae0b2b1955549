import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { byCase, changeRows } from "../dashboard/change-rows.ts";

// A change that is added to the dashboard comes with a row that says how somebody gets over its lost answer: what the page
// shows then, and that a further press does no harm.

const sources = join(import.meta.dirname, "../../packages/dashboard/src");
const flows = join(import.meta.dirname, "../dashboard");

interface Call {
  readonly name: string;
  readonly changesNothing: boolean;
}

/** The calls in a file of the app, each with the function at its left edge. A call in the form kit counts for the kit's callers. */
function findCalls(path: string, code: string): Call[] {
  let around = "";
  return code.split(/^(?=\S)/m).flatMap((part) => {
    around = /^(?:export )?(?:default )?(?:async )?function (\w+)/.exec(part)?.[1] ?? around;
    return Array.from(part.matchAll(/^.*\buse(?:Mutation|Fields)\b(?:<.*>)?\(/gm), ({ 0: line, index }) => {
      const own = /const (\w+)/.exec(line)?.[1];
      const name = `${path}#${around}${own === undefined ? "" : `.${own}`}`;
      return { name, changesNothing: takeCall(part, index + line.length).includes("changesNothing: true") };
    });
  });
}

/** The code between the parenthesis before `start` and the one that closes it. */
function takeCall(code: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < code.length; end++) depth += code[end] === "(" ? 1 : code[end] === ")" ? -1 : 0;
  return code.slice(start, end);
}

const files = globSync("**/*.{ts,tsx}", { cwd: sources }).filter((path) => !path.startsWith("form-kit/"));
const calls = files.flatMap((path) => findCalls(path, readFileSync(join(sources, path), "utf8")));

test("every change of the dashboard has a row that says how somebody gets over its lost answer", () => {
  // Both ways: a call that is gone leaves the table as well.
  assert.deepEqual(calls.map(({ name }) => name).toSorted(), Object.keys(changeRows).toSorted());
});

test("a call is found however it is written, by a name of its own", () => {
  const code = `function One() {
  const saving = useMutation({ mutationFn });
  const fields = useFields<A, B>({
    changesNothing: true,
  });
}

export function useOther() {
  return useMutation({ mutationFn });
}
`;
  assert.deepEqual(findCalls("a.tsx", code), [
    { name: "a.tsx#One.saving", changesNothing: false },
    { name: "a.tsx#One.fields", changesNothing: true },
    { name: "a.tsx#useOther", changesNothing: false },
  ]);
  for (const path of files) {
    const text = readFileSync(join(sources, path), "utf8");
    const uses = text.match(/\buse(?:Mutation|Fields)\b(?:<[^(]*>)?\(/g) ?? [];
    assert.equal(uses.length, findCalls(path, text).length, path);
  }
});

test("what is said to change nothing is no change by its row, and a part of a change belongs to one", () => {
  const wrong = calls.filter(({ name, changesNothing }) => changesNothing && !("nothing" in (changeRows[name] ?? {})));
  assert.deepEqual(
    wrong.map(({ name }) => name),
    [],
  );
  for (const [name, row] of Object.entries(changeRows))
    if ("partOf" in row) assert.ok("test" in (changeRows[row.partOf] ?? {}), name);
});

test("every test that a row names exists, and every case of a lost answer has its row", () => {
  const cases = globSync("lost-*-cases.ts", { cwd: flows }).flatMap((file) =>
    Array.from(readFileSync(join(flows, file), "utf8").matchAll(/^ {2}"(.+#.+)": \{$/gm), ([, name = ""]) => name),
  );
  const wanted = Object.entries(changeRows).flatMap(([name, row]) =>
    "test" in row && row.test === byCase ? [name] : [],
  );
  assert.deepEqual(cases.toSorted(), wanted.toSorted());
  for (const [name, row] of Object.entries(changeRows)) {
    if (!("test" in row)) continue;
    const { file, title } = row.test;
    const titles = readFileSync(join(flows, `${file}.test.ts`), "utf8").match(/\btest\([\s\S]*?, (?:async )?\(/g) ?? [];
    assert.ok(
      titles.some((one) => one.includes(title)),
      `${name}: ${file} has no test “${title}”`,
    );
  }
});
