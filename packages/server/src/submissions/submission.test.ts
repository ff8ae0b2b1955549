import assert from "node:assert/strict";
import { test } from "node:test";
import { decodeBase64 } from "@sealpost/wire";
import fc from "fast-check";
import { decodeStrictly } from "./submission.ts";

test("the service and the format agree on what base64 is", () => {
  const nearBase64 = fc.string({ unit: fc.constantFrom(..."ABCDwxyz0189+/=-_ \n\u00e9"), maxLength: 12 });
  fc.assert(
    fc.property(fc.oneof(nearBase64, fc.base64String(), fc.string()), (text) => {
      const [ours, format] = [decodeStrictly(text), decodeBase64(text)];
      assert.deepEqual(ours && [...ours], format && [...format], JSON.stringify(text));
    }),
    { numRuns: 5000 },
  );
});
