import assert from "node:assert/strict";
import { test } from "node:test";
import type { Context } from "./context.ts";
import { parseCount, parseTime } from "./option-values.ts";
import { printable } from "./printable.ts";
import { createProgress, formatProgress } from "./progress.ts";
import { formatTable } from "./table.ts";

test("nothing in a table can act on the terminal or hide what is before it", () => {
  assert.equal(
    printable("a\u001b[2Jb\u009bc\rd\ne\u202ef\u200bg\u2028h"),
    "a\uFFFD[2Jb\uFFFDc\uFFFDd\uFFFDe\uFFFDf\uFFFDg\uFFFDh",
  );
  assert.equal(printable("Zoë 😀 – 问卷"), "Zoë 😀 – 问卷");
  assert.equal(
    formatTable(
      ["ID", "NAME"],
      [
        ["form_1", "a\u0007"],
        ["f", "b"],
      ],
    ),
    "ID      NAME\nform_1  a\uFFFD\nf       b\n",
  );
  assert.equal(formatTable(["ID"], []), "ID\n");
});

test("a table may have as many rows as there are", () => {
  assert.equal(formatTable(["ID"], Array(200_000).fill(["a"])).length, 400_003);
});

test("progress is a bar where the total is known, never beyond its end, and a count elsewhere", () => {
  assert.equal(formatProgress(5, 10), "[===============               ] 50 % (5 of 10)");
  assert.equal(formatProgress(12, 10), "[==============================] 100 % (12 of 12)");
  assert.equal(formatProgress(5, undefined), "5 submissions");
  assert.equal(formatProgress(0, 0), "0 submissions");
});

test("progress is drawn on a terminal only, and at most ten times a second", () => {
  const drawn: string[] = [];
  let now = 0;
  const errors = { isTTY: true, write: (text: string) => drawn.push(text) };
  const context = { errors, now: () => now } as unknown as Context; // all of it that progress uses
  const progress = createProgress(context, 4);
  for (let index = 0; index < 4; index++) {
    progress.advance();
    now += 60;
  }
  progress.end();
  assert.deepEqual(
    drawn.map((text) => /\d of \d/.exec(text)?.[0] ?? JSON.stringify(text)),
    ["1 of 4", "3 of 4", '"\\r\\u001b[K"'],
  );
});

test("where nothing can be drawn over, progress is a line every ten seconds, and a short or quiet run says nothing", () => {
  const said: string[] = [];
  let now = 0;
  const context = { errors: { write: (text: string) => said.push(text) }, now: () => now } as unknown as Context; // all of it that progress uses
  const run = (milliseconds: number, total: number | undefined, isQuiet?: boolean) => {
    said.length = 0;
    const progress = createProgress(context, total, isQuiet);
    for (let passed = 0; passed < milliseconds; passed += 1000) {
      now += 1000;
      progress.advance();
    }
    progress.end();
    return said;
  };
  assert.deepEqual(run(9000, 30), []);
  assert.deepEqual(run(25_000, 30), ["10 of 30 submissions\n", "20 of 30 submissions\n"]);
  assert.deepEqual(run(20_000, undefined), ["10 submissions so far\n", "20 submissions so far\n"]);
  assert.deepEqual(run(25_000, 30, true), []);
});

test("a time is a day in UTC, a moment with its zone, or milliseconds, and nothing that could mean two things", () => {
  assert.equal(parseTime("2026-01-31"), Date.UTC(2026, 0, 31));
  assert.equal(parseTime("2026-01-31T12:00Z"), Date.UTC(2026, 0, 31, 12));
  assert.equal(parseTime("2026-01-31T12:00:30.5+02:00"), Date.UTC(2026, 0, 31, 10, 0, 30, 500));
  assert.equal(parseTime("1700000000000"), 1_700_000_000_000);
  for (const text of [
    "",
    "2026",
    "31.01.2026",
    "01/31/2026",
    "2026-13-01",
    "2026-02-30",
    "2026-02-29T12:00Z",
    "2026-01-31T24:00Z",
    "2026-01-31T12:00",
    "yesterday",
    "-1",
    "1e12",
    "2026-01-31 12:00Z",
  ])
    assert.throws(() => parseTime(text), { code: "commander.invalidArgument" }, text);
  assert.equal(parseCount("10"), 10);
  for (const text of ["", "-1", "1.5", "x", "1e3"])
    assert.throws(() => parseCount(text), { code: "commander.invalidArgument" });
});
