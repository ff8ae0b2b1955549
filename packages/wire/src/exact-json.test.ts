import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { exactFieldsOf, formatExactly, hasOtherNumbers, readExactly, SealedNumber, textOf } from "./exact-json.ts";

const digits = fc.stringMatching(/^[0-9]{0,400}$/);
/** Every number that JSON has. */
const number = fc
  .record({
    sign: fc.constantFrom("", "-"),
    whole: digits.map((text) => text.replace(/^0+(?=.)/, "") || "0"),
    fraction: fc.option(digits.filter((text) => text !== "")),
    exponent: fc.option(fc.stringMatching(/^[eE][+-]?[0-9]{1,5}$/)),
  })
  .map(({ sign, whole, fraction, exponent }) => `${sign}${whole}${fraction ? `.${fraction}` : ""}${exponent ?? ""}`);

test("a JSON text with any numbers is read and written again to the letter", () => {
  const { json } = fc.letrec<{ json: string }>((tie) => ({
    json: fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      number,
      fc.string({ unit: "binary" }).map((text) => JSON.stringify(text)),
      fc.constantFrom("true", "false", "null"),
      fc.array(tie("json")).map((items) => `[${items.join()}]`),
      fc
        .uniqueArray(fc.tuple(fc.string(), tie("json")), { selector: ([name]) => name })
        // Names that are whole numbers come first in an object of JavaScript.
        .map((all) => `{${all.map(([name, value]) => `${JSON.stringify(`$${name}`)}:${value}`).join()}}`),
    ),
  }));
  fc.assert(
    fc.property(json, (text) => {
      assert.equal(formatExactly(readExactly(text)), text);
      assert.equal(hasOtherNumbers(text), JSON.stringify(JSON.parse(text)) !== text);
    }),
    { numRuns: 300 },
  );
});

test("without other numbers a JSON text is read as JSON.parse reads it, and written as JSON.stringify writes it", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat({ max: 3 }), (text, indent) => {
      const value = JSON.parse(text);
      assert.deepEqual(readExactly(JSON.stringify(value)), value);
      assert.equal(formatExactly(value, indent), JSON.stringify(value, null, indent));
    }),
  );
});

test("a megabyte of one text, and sixty thousand members, are read", () => {
  const long = JSON.stringify({ a: '"\\'.repeat(300_000) });
  assert.equal(formatExactly(readExactly(long)), long);
  const wide = `{${Array.from({ length: 60_000 }, (_, index) => `"n${index}":1.0`).join()}}`;
  assert.equal(formatExactly(readExactly(wide)), wide);
});

test("fields that JavaScript writes as they were sealed are their own exact fields; others are read once", () => {
  const usual = { fields: { a: 1 } };
  assert.equal(exactFieldsOf(usual), usual.fields);
  assert.equal(textOf(usual), '{"a":1}');
  const other = { fields: { a: Number.POSITIVE_INFINITY }, text: '{"a":1e400}' };
  assert.deepEqual(exactFieldsOf(other), { a: new SealedNumber("1e400") });
  assert.equal(exactFieldsOf(other), exactFieldsOf(other));
  assert.equal(textOf(other), other.text);
});

test("a sealed number is its digits, also to JSON.stringify and in a text", () => {
  const exact = new SealedNumber("9007199254740993");
  assert.equal(JSON.stringify([exact]), '["9007199254740993"]');
  assert.equal(`${exact}`, "9007199254740993");
});
