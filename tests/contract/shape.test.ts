import assert from "node:assert/strict";
import { test } from "node:test";
import { assertShape, id, integer, milliseconds, type Shape } from "./shape.ts";

test("a shape refuses a member too many, one too few, another value, another type", () => {
  const shape: Shape = { form: { id: id("form"), total: integer, at: milliseconds, list: [{ a: 1 }], none: null } };
  const right = { id: "form_01hk153x00e5rbcwg8rxcnh8w4", total: 0, at: Date.now(), list: [{ a: 1 }], none: null };
  assertShape({ form: right }, shape);
  const { none: _none, ...tooFew } = right;
  for (const wrong of [
    tooFew,
    { ...right, more: 1 },
    { ...right, id: "key_01hk153x00e5rbcwg8rxcnh8w4" },
    { ...right, total: "0" },
    { ...right, at: 5 },
    { ...right, list: [] },
    { ...right, list: [{ a: 2 }] },
    { ...right, none: undefined },
  ])
    assert.throws(() => assertShape({ form: wrong }, shape), JSON.stringify(wrong));
});
