import assert from "node:assert/strict";
import { test } from "node:test";
import { findPii } from "./find.ts";
import type { PiiType } from "./types.ts";

/** By type: published examples, and what differs from them by one rule. */
const examples: ReadonlyArray<readonly [PiiType, readonly string[], readonly string[]]> = [
  ["US_NPI", ["1234567893"], ["1234567894", "3234567893"]],
  [
    "US_MBI",
    ["Medicare 1EG4-TE5-MK73", "MBI: 1EG4TE5MK73"],
    ["1EG4-TE5-MK73", "MBI 1SG4-TE5-MK73", "MBI 0EG4-TE5-MK73"],
  ],
  ["US_ABA", ["021000021", "011401533"], ["021000022", "991000021", "000000000"]],
  ["US_PASSPORT", ["passport 123456789", "passport no. A12345678"], ["123456789", "passport 12345678"]],
  ["UK_PASSPORT", ["passport 925076473"], ["925076473", "passport 92507647"]],
  ["UK_DRIVING_LICENCE", ["driving licence MORGA657054SM9IJ"], ["MORGA657054SM9IJ", "licence MORGA673054SM9IJ"]],
  ["CA_SIN", ["130 692 544", "130-692-544"], ["130 692 545", "046 454 286"]],
  ["AU_TFN", ["123 456 782", "123456782"], ["123 456 783", "000000000"]],
  ["IN_AADHAAR", ["2345 6789 0124"], ["2345 6789 0125", "1345 6789 0124"]],
  ["PL_PESEL", ["44051401359", "02070803628"], ["44051401358", "44131401359"]],
  ["SE_PERSONNUMMER", ["811218-9876", "19811218-9876", "701063-2391"], ["811218-9875", "811318-9876"]],
  ["ES_NIF", ["12345678Z", "12345678-Z"], ["12345678A", "1234567Z"]],
  ["ES_NIE", ["X1234567L", "Y-1234567-X"], ["X1234567A", "W1234567L"]],
  ["IT_FISCAL_CODE", ["RSSMRA85T10A562S", "MRTMTT91D08F205J"], ["RSSMRA85T10A562T", "RSSMRA85F10A562S"]],
];

for (const [type, positives, negatives] of examples) {
  test(`${type} is found by its issuer's rule when asked for, and not otherwise`, () => {
    for (const text of positives) {
      assert.deepEqual(
        findPii(`so ${text}, ok`, { types: [type] }).map((hit) => hit.type),
        [type],
        text,
      );
      assert.ok(!findPii(text).some((hit) => hit.type === type));
    }
    for (const text of negatives) assert.deepEqual(findPii(text, { types: [type] }), [], text);
  });
}

test("URL, DATE and POSTCODE are found when asked for", () => {
  const found = (text: string, type: PiiType) =>
    findPii(text, { types: [type] }).map((hit) => text.slice(hit.start, hit.end));
  assert.deepEqual(found("see https://example.com/a?b=1, www.example.org/x.", "URL"), [
    "https://example.com/a?b=1",
    "www.example.org/x",
  ]);
  assert.deepEqual(found("from 2026-11-21T10:30 to 28.11.2026, 11/30/26 and 1.2.3.4", "DATE"), [
    "2026-11-21",
    "28.11.2026",
    "11/30/26",
  ]);
  assert.deepEqual(found("32.13.2026 2026-13-32 1-2-3", "DATE"), []);
  assert.deepEqual(found("ZIP 90210-1234, postcode SW1A 1AA, PLZ 10115, 90210", "POSTCODE").slice(0, 3), [
    "90210-1234",
    "SW1A 1AA",
    "10115",
  ]);
  assert.deepEqual(found("order 12345", "POSTCODE"), []);
});
