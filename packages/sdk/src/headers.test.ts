import assert from "node:assert/strict";
import { test } from "node:test";
import { findHeader } from "./headers.ts";

const shapes: readonly (readonly [string, unknown])[] = [
  ["Headers", new Headers({ "Webhook-Id": "one" })],
  ["a Map", new Map([["Webhook-Id", "one"]])],
  ["pairs", [["WEBHOOK-ID", "one"]]],
  ["something with get", { get: (name: string) => (name === "webhook-id" ? "one" : null) }],
  ["Node's record", { "webhook-id": "one" }],
  ["a record in any case", { "Webhook-ID": "one" }],
  ["a record of lists", { "webhook-id": ["one"] }],
  ["a record without a prototype", Object.assign(Object.create(null), { "webhook-id": "one" })],
];

for (const [name, headers] of shapes) {
  test(`a header is found in ${name}, and one that is not there is not`, () => {
    assert.equal(findHeader(headers, "webhook-id"), "one");
    assert.equal(findHeader(headers, "webhook-signature"), undefined);
  });
}

test("a repeated header never passes for one of its values", () => {
  assert.equal(findHeader({ "webhook-id": ["one", "two"] }, "webhook-id"), "one, two");
  assert.equal(findHeader({ "webhook-id": "one", "Webhook-Id": "two" }, "webhook-id"), "one, two");
  assert.equal(findHeader([...new Map([["webhook-id", "one"]]), ["Webhook-Id", "two"]], "webhook-id"), "one, two");
});

test("what is no headers at all holds no header", () => {
  for (const headers of [
    undefined,
    null,
    1,
    "webhook-id",
    [],
    {},
    ["webhook-id", "one"],
    [null, [], [1, 2]],
    { get: 1 },
  ])
    assert.equal(findHeader(headers, "webhook-id"), undefined);
  assert.equal(findHeader({}, "constructor"), undefined);
  assert.equal(findHeader({}, "__proto__"), undefined);
});
