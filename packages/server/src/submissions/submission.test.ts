import assert from "node:assert/strict";
import { test } from "node:test";
import { createId, decodeBase64 } from "@sealpost/wire";
import fc from "fast-check";
import { decodeStrictly, parsePostedSubmission } from "./submission.ts";
import { HybridPayloadBody, SealedPayloadBody } from "./submission-schemas.ts";

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

test("data has at least a byte of ciphertext and a tag, and in sp2 a commitment before them: the service and its document say so", () => {
  for (const [version, { properties }, least] of [
    ["sp1", SealedPayloadBody, 17],
    ["sp2", HybridPayloadBody, 49],
  ] as const)
    for (let length = 0; length < 120; length++) {
      const data = Buffer.alloc(length, 0xff).toString("base64");
      const payload = { encrypted: true, version, data, key: "AAAA", iv: "AAAAAAAAAAAAAAAA" };
      const parsed = parsePostedSubmission({ id: createId("submission"), keyVersion: 1, payload });
      const expected = length < least ? { "payload.data": `Must hold at least ${least} bytes` } : undefined;
      assert.deepEqual("errors" in parsed ? { ...parsed.errors } : undefined, expected, `${version}, ${length}`);
      assert.equal(
        new RegExp(Reflect.get(properties.data, "pattern")).test(data),
        length >= least,
        `${version}, ${length}`,
      );
    }
});
