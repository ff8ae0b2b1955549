import "../../testing/with-texts.ts";
import assert from "node:assert/strict";
import { test } from "node:test";
import { toLines } from "./export-zip.ts";
import type { Row } from "./row.ts";

const rowOf = (fields: Record<string, string>): Row => ({
  ...{ id: "sub_1", receivedAt: 0, timestamp: 0, keyVersion: 1 },
  opened: { opened: true, sealed: true, fields },
});
const linesOf = (row: Row) => [...toLines(row)].join("").split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/);

/** Whatever a program that shows a text takes for the end of a line. */
const ends = ["\n", "\r", "\r\n", "\v", "\f", "\u0085", "\u2028", "\u2029"];

test("nothing that a visitor chose begins a line of a text file as ours do, names neither", () => {
  const own = linesOf(rowOf({})).filter((line) => line !== "");
  assert.equal(own.length, 2, "a control: the id and the time");
  for (const imitated of own)
    for (const end of ["", ...ends]) {
      const hostile = [imitated, `a${end}${imitated}`, `${end}${imitated}${end}${end}b`];
      for (const text of hostile) {
        const lines = linesOf(rowOf({ [text]: "value", name: text, other: "x" }));
        assert.deepEqual(
          lines.filter((line) => /^\S/.test(line)),
          own,
          JSON.stringify(text),
        );
        // A value imitates no name: it is indented more.
        const names = lines.filter((line) => /^ {2}(?! )/.test(line));
        assert.equal(names.length, 3, JSON.stringify(text));
      }
    }
});
