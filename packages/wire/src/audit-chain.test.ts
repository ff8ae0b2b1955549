import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import vectors from "../vectors/audit-log.json" with { type: "json" };
import { canonicalJson, hashAuditEntry, startAuditLog } from "./audit-chain.ts";

test("the vectors of audit logs have the hashes that are computed from them, and each names the one before", async () => {
  assert.deepEqual(await startAuditLog(vectors.organization), vectors.start);
  let previous = vectors.start.hash;
  for (const { entry, canonical } of vectors.entries) {
    const { hash, ...content } = entry;
    assert.equal(canonicalJson(content), canonical);
    assert.equal(await hashAuditEntry(entry), hash);
    assert.equal(entry.previous, previous);
    previous = hash;
  }
});

test("canonical JSON is that of RFC 8785: members sorted by UTF-16 units, one spelling for each value", async () => {
  const sorted = { "\u20ac": 1, "\r": 2, "\ufb33": 3, "1": 4, "\ud83d\ude00": 5, "\u0080": 6, "\u00f6": 7 };
  assert.equal(
    canonicalJson(sorted),
    '{"\\r":2,"1":4,"\u0080":6,"\u00f6":7,"\u20ac":1,"\ud83d\ude00":5,"\ufb33":3}',
    "section 3.2.3",
  );
  assert.equal(canonicalJson([1e21, 4.5, 0.002, 1e-27, -0]), "[1e+21,4.5,0.002,1e-27,0]");
  assert.equal(canonicalJson('\u20ac$\u000f\nA\'B"\\\\"/'), '"\u20ac$\\u000f\\nA\'B\\"\\\\\\\\\\"/"');
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      assert.deepEqual(JSON.parse(canonicalJson(value)), JSON.parse(JSON.stringify(value)));
      assert.equal(canonicalJson(JSON.parse(canonicalJson(value))), canonicalJson(value));
    }),
  );
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, undefined, () => {}])
    await assert.rejects(
      Promise.resolve().then(() => canonicalJson({ value })),
      TypeError,
    );
});
