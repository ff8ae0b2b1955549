import assert from "node:assert/strict";
import { test } from "node:test";
import good from "../vectors/good.json" with { type: "json" };
import hostile from "../vectors/hostile.json" with { type: "json" };
import ids from "../vectors/ids.json" with { type: "json" };
import padding from "../vectors/padding.json" with { type: "json" };
import { decodeBase64 } from "./base64.ts";
import { createId, type IdKind, isId } from "./ids.ts";
import { fingerprint } from "./keys.ts";
import { open } from "./open.ts";
import { paddedSize } from "./padding.ts";
import type { OpeningVector } from "./testing/opening-vectors.ts";
import { importVectorKey, vectorKeys } from "./testing/vector-keys.ts";

// Our own generator wrote these files from this type; JSON only widens the texts.
const goodVectors = good as unknown as readonly OpeningVector[];
const hostileVectors = hostile as unknown as readonly OpeningVector[];

async function openVector({ keys, expectedFingerprint, payload, formId, keyVersion, submissionId }: OpeningVector) {
  const imported = await Promise.all(keys.map(({ name, ...label }) => importVectorKey(name, label)));
  return open({ payload, formId, keyVersion, submissionId }, imported, expectedFingerprint);
}

for (const vector of goodVectors) {
  test(`vector: ${vector.name} opens to the fields that were sealed`, async () => {
    assert.deepEqual(await openVector(vector), { opened: true, fields: JSON.parse(vector.plaintext ?? "") });
    const size = new TextEncoder().encode(vector.plaintext).length;
    assert.equal(decodeBase64(vector.payload.data)?.length, paddedSize(size) + 16);
  });
}

for (const vector of hostileVectors) {
  test(`vector: ${vector.name}: ${vector.outcome}`, async () => {
    const result = await openVector(vector);
    assert.ok(!result.opened);
    assert.equal(result.reason, vector.outcome);
    if (result.reason === "could_not_be_opened")
      assert.deepEqual(result, {
        opened: false,
        reason: "could_not_be_opened",
        message: "This payload could not be opened: it was changed, or sealed to another key",
      });
  });
}

test("vectors: every kind of failure has its vector", () => {
  const outcomes = new Set(hostileVectors.map(({ outcome }) => outcome));
  assert.deepEqual([...outcomes].sort(), ["could_not_be_opened", "no_key", "unknown_version"]);
});

test("vectors: names are unique", () => {
  const names = [...goodVectors, ...hostileVectors].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("vectors: the fingerprint of every key is its thumbprint", async () => {
  for (const pair of Object.values(vectorKeys)) assert.equal(await fingerprint(pair.publicKey), pair.fingerprint);
});

test("vectors: every id is one of its kind, and an id of the same moment starts the same", () => {
  for (const { kind, id, milliseconds } of ids.accepted) {
    assert.ok(isId(kind as IdKind, id), id); // the file holds kinds only, and isId refuses anything else
    assert.equal(createId(kind as IdKind, milliseconds).slice(0, -16), id.slice(0, -16));
  }
});

test("vectors: what is no id is refused", () => {
  for (const { name, kind, text } of ids.refused) assert.equal(isId(kind as IdKind, text), false, name);
});

test("vectors: every size has its padded size", () => {
  for (const { size, padded } of padding) assert.equal(paddedSize(size), padded, `${size}`);
});
