import assert from "node:assert/strict";
import { test } from "node:test";
import keyLogs from "../vectors/key-logs.json" with { type: "json" };
import { createKeyLogLine, verifyKeyLog } from "./key-log.ts";
import { expectedOfKeyLog, verifyKeyLogVector } from "./testing/key-log-conformance.ts";
import { type KeyLogVector, keyLogVectors } from "./testing/key-log-vectors.ts";

// Our own generator wrote them from this type; JSON only widens the texts.
const vectors = keyLogs as unknown as readonly KeyLogVector[];

for (const vector of vectors) {
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await verifyKeyLogVector(verifyKeyLog, vector), expectedOfKeyLog(vector));
  });
}

test("vectors: key logs follow from their names, which are unique, and every refusal has one", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await keyLogVectors())), keyLogs);
  assert.equal(new Set(vectors.map(({ name }) => name)).size, vectors.length);
  assert.deepEqual([...new Set(vectors.map(({ outcome }) => outcome))].sort(), [
    "broken_chain",
    "forked",
    "malformed",
    "not_allowed",
    "not_signed",
    "other_form",
    "unknown_extension",
    "verified",
  ]);
});

test("a line to be signed continues a log as its readers expect it, and one that they would refuse is not made", async () => {
  const [whole] = vectors;
  assert.ok(whole);
  const before = await verifyKeyLog(new TextEncoder().encode(whole.log), { formId: whole.formId });
  assert.ok(typeof before !== "string");
  const [signedBy = ""] = before.entry.signers;
  const next = {
    formId: whole.formId,
    signedBy,
    key: { ...before.entry.key, version: 9 },
    signers: [signedBy, signedBy],
  };
  const entry = JSON.parse(createKeyLogLine(before, next, 0));
  assert.deepEqual([entry.number, entry.previous, entry.signers], [6, before.head.hash, [signedBy]]);
  assert.equal(entry.writtenAt, "1970-01-01T00:00:00Z");
  for (const wrong of [
    { ...next, signedBy: before.head.hash },
    { ...next, key: { ...before.entry.key, version: 1 } },
    { ...next, signers: [] },
  ])
    assert.throws(() => createKeyLogLine(before, wrong), TypeError);
});
