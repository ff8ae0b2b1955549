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
  const { owners, managers } = before.entry;
  const [[owner = ""], [manager = ""]] = [owners, managers];
  const key = { ...before.entry.key, version: 9 };
  const next = { formId: whole.formId, signedBy: owner, key, owners: [owner, owner], managers: [] };
  const entry = JSON.parse(createKeyLogLine(before, next, 0));
  assert.deepEqual([entry.number, entry.place, entry.previous, entry.owners], [7, 1, before.head.hash, [owner]]);
  const rotation = { ...next, signedBy: manager, key: { ...key, version: 6 }, owners, managers };
  const ofManager = JSON.parse(createKeyLogLine(before, rotation, 0));
  assert.deepEqual([ofManager.place, ofManager.signedBy], [3, manager]);
  // A point of small order, with which anybody's signature is right.
  const small = "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";
  assert.equal(entry.writtenAt, "1970-01-01T00:00:00Z");
  for (const wrong of [
    { ...next, signedBy: before.head.hash },
    { ...next, key: { ...before.entry.key, version: 1 } },
    { ...next, owners: [] },
    { ...next, owners: [small] },
    { ...next, managers: [small] },
    { ...next, key: { ...key, replyKey: small } },
    { ...rotation, key },
    { ...rotation, owners: [manager] },
  ])
    assert.throws(() => createKeyLogLine(before, wrong), TypeError);
});
