import assert from "node:assert/strict";
import { test } from "node:test";
import { toCsv, toJson } from "./export-rows.ts";
import type { Row } from "./row.ts";
import { applyView, fieldText, previewsOf } from "./row-view.ts";

const text = '{"whole":9007199254740993,"large":1e400,"list":[1.0]}';
const row: Row = {
  id: "sub_1",
  receivedAt: 0,
  timestamp: 0,
  keyVersion: 1,
  opened: { opened: true, sealed: true, fields: JSON.parse(text), text },
};

test("a part that the page has sealed along is in files for programs, and in no table", () => {
  const along: Row = { ...row, opened: { opened: true, sealed: true, fields: { a: "1" }, sealpost: { version: 3 } } };
  assert.deepEqual(JSON.parse([...toJson([along])].join(""))[0].sealpost, { version: 3 });
  assert.ok(![...toJson([row])].join("").includes("sealpost"));
  assert.ok(![...toCsv([along], "comma")].join("").includes("version"));
});

test("tables, searches and files have a number with the digits that were sealed, also where JavaScript has none such", () => {
  assert.equal(fieldText(row, "whole"), "9007199254740993");
  assert.deepEqual(previewsOf(row), ["9007199254740993", "1e400", "[1.0]"]);
  const view = { status: "all", sortBy: "", isAscending: false } as const;
  assert.deepEqual(applyView([row], { ...view, search: "254740993" }), [row]);
  assert.deepEqual(applyView([row], { ...view, search: "254740992" }), []);
  assert.match([...toCsv([row], "comma")].join(""), /,"9007199254740993","1e400","\[1\.0\]"\r\n$/);
  assert.match(
    [...toJson([row])].join(""),
    /\n {4}"fields": \{\n {6}"whole": 9007199254740993,\n {6}"large": 1e400,\n {6}"list": \[\n {8}1\.0\n {6}\]\n {4}\}\n {2}\}\n\]\n$/,
  );
});
