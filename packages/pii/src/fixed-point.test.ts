import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { readCorpus } from "../corpus/corpus.ts";
import { findPii } from "./find.ts";
import { type FieldValue, stripPii } from "./strip.ts";
import { allTypes, defaultTypes, tokens } from "./types.ts";

const textTypes = allTypes.slice(0, allTypes.indexOf("PERSON_NAME"));
/** Fragments that detectors care about, so that random texts come close to hits, tokens, context words and each other. */
const fragment = fc.oneof(
  fc.constantFrom(...Object.values(tokens), "[REMOVED]", "[", "]", "[EMA", "IL]", "_2"),
  fc.constantFrom(
    "a@b.co",
    "@",
    "x@y",
    "call ",
    "phone ",
    "SSN ",
    "nhs ",
    "order ",
    "isbn ",
    "zip ",
    "passport ",
    "medicare ",
  ),
  fc.constantFrom(
    "4111111111111111",
    "4111 1111 1111 1111",
    "212-555-0147",
    "2125550147",
    "+44 20 7946 0958",
    "0171/1234567",
    "(212) ",
  ),
  fc.constantFrom(
    "DE89 3704 0044 0532 0130 00",
    "943 476 5919",
    "9434765919",
    "078-05-1120",
    "078051120",
    "912-70-1234",
    "AB123456C",
  ),
  fc.constantFrom(
    "192.0.2.1",
    "2001:db8::1",
    "::1",
    "00:1a:2b:3c:4d:5e",
    "https://",
    "u:p@",
    "?token=",
    "&key=",
    "http://a.b/",
    "#sig=",
  ),
  fc.constantFrom(
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "0x",
    "bc1",
    "12.11.2026",
    "2026-11-21",
    "10:30",
    "12345678Z",
    "X1234567L",
  ),
  fc.constantFrom(
    " ",
    " ",
    "-",
    ".",
    "/",
    ":",
    ",",
    "(",
    ")",
    "+",
    "00",
    "\n",
    "\u200b",
    "\u00ad",
    "\u00a0",
    "\uff10",
    "\u0661",
    "%40",
    "\ud83d",
    "ß",
  ),
  fc.nat(99_999).map(String),
  fc.string({ maxLength: 4, unit: "binary" }),
);
const text = fc.array(fragment, { maxLength: 14 }).map((fragments) => fragments.join(""));

test("nothing is found in what was stripped, and stripping twice equals stripping once", () => {
  for (const types of [defaultTypes, textTypes]) {
    fc.assert(
      fc.property(text, (original) => {
        const once = stripPii({ t: original }, {}, { types: [...types] }).fields;
        assert.deepEqual(findPii(String(once.t), { types: [...types] }), []);
        assert.deepEqual(stripPii(once, {}, { types: [...types] }), { fields: once, stripped: [] });
      }),
      { numRuns: 1_500 },
    );
  }
});

test("stripping whole trees twice equals stripping them once", () => {
  const name = fc.oneof(
    fc.constantFrom("email", "name", "a@b.co", "[EMAIL]", "__proto__", "phone", "length", "note"),
    text,
  );
  const leaf = fc.oneof(text, fc.double(), fc.integer(), fc.boolean(), fc.constant(null));
  const tree = fc.letrec<{ value: FieldValue; object: { [name: string]: FieldValue } }>((tie) => ({
    value: fc.oneof({ maxDepth: 4 }, leaf, fc.array(tie("value"), { maxLength: 3 }), tie("object")),
    object: fc.dictionary(name, tie("value"), { maxKeys: 4 }),
  }));
  fc.assert(
    fc.property(tree.object, (fields) => {
      const before = JSON.stringify(fields);
      const once = stripPii(fields).fields;
      assert.equal(JSON.stringify(stripPii(once).fields), JSON.stringify(once));
      assert.equal(JSON.stringify(fields), before);
    }),
    { numRuns: 600 },
  );
});

test("hits are sorted, apart from each other and inside the text", () => {
  fc.assert(
    fc.property(text, (original) => {
      let last = 0;
      for (const { start, end } of findPii(original, { types: textTypes })) {
        assert.ok(last <= start && start < end && end <= original.length);
        last = end;
      }
    }),
    { numRuns: 1_000 },
  );
});

test("no corpus text changes when it is stripped a second time", () => {
  for (const name of ["positives", "messages", "near-misses", "prose", "figures"] as const) {
    for (const { text: original } of [...readCorpus(name, "tune"), ...readCorpus(name, "report")]) {
      const once = stripPii({ t: original }).fields;
      assert.deepEqual(stripPii(once).stripped, [], original);
    }
  }
});
