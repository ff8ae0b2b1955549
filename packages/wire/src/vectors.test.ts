import assert from "node:assert/strict";
import { test } from "node:test";
import foreign from "../vectors/foreign.json" with { type: "json" };
import good from "../vectors/good.json" with { type: "json" };
import hostile from "../vectors/hostile.json" with { type: "json" };
import hybrid from "../vectors/hybrid.json" with { type: "json" };
import ids from "../vectors/ids.json" with { type: "json" };
import padding from "../vectors/padding.json" with { type: "json" };
import verification from "../vectors/webhook-verification.json" with { type: "json" };
import { decodeBase64 } from "./base64.ts";
import { hybridFingerprint, parseHybridPublicKey } from "./hybrid-keys.ts";
import { createId, type IdKind, isId } from "./ids.ts";
import { fingerprint } from "./keys.ts";
import { open } from "./open.ts";
import { paddedSize } from "./padding.ts";
import { expectedOf, openVector, ours, verifyVector } from "./testing/conformance.ts";
import { nobleKem } from "./testing/noble-kem.ts";
import type { OpeningVector } from "./testing/opening-vectors.ts";
import { anyKem, hybridVectorKeys, importVectorKey, vectorKeys } from "./testing/vector-keys.ts";
import type { VerificationVector } from "./testing/verification-vectors.ts";

// Our own generator wrote these files from these types; JSON only widens the texts.
const goodVectors = good as unknown as readonly OpeningVector[];
const hostileVectors = hostile as unknown as readonly OpeningVector[];
const foreignVectors = foreign as unknown as readonly OpeningVector[];
const hybridVectors = hybrid as unknown as readonly OpeningVector[];
const verificationVectors = verification as readonly VerificationVector[];

for (const vector of goodVectors) {
  test(`vector: ${vector.name} opens to the fields that were sealed`, async () => {
    assert.deepEqual(await openVector(ours, vector), expectedOf(vector));
    const size = new TextEncoder().encode(vector.plaintext).length;
    assert.equal(decodeBase64(vector.payload.data)?.length, paddedSize(size) + 16);
  });
}

for (const vector of [...hostileVectors, ...foreignVectors, ...hybridVectors]) {
  test(`vector: ${vector.name}: ${vector.outcome}`, async () => {
    const result = await openVector(ours, vector);
    assert.deepEqual(result, expectedOf(vector));
  });
}

test("vectors: whatever hinders opening once a key is chosen, the answer is the same to the letter", async () => {
  const messages = new Set<string>();
  for (const { keys, expectedFingerprint, ...sealed } of [...hostileVectors, ...foreignVectors, ...hybridVectors]) {
    if (sealed.outcome !== "could_not_be_opened") continue;
    const imported = await Promise.all(keys.map(({ name, ...label }) => importVectorKey(name, label)));
    messages.add(JSON.stringify(await open(sealed, imported, expectedFingerprint, anyKem)));
  }
  assert.deepEqual(
    [...messages],
    [
      '{"opened":false,"reason":"could_not_be_opened","message":"This payload could not be opened: it was changed, or sealed to another key"}',
    ],
  );
});

test("vectors: one data that AES-GCM opens under two content keys has the content of the one that it commits to", async () => {
  const [first, second] = ["first", "second"].map((which) =>
    hybridVectors.find(({ name }) => name === `hybrid: one data for two content keys: the ${which}`),
  );
  assert.ok(first && second);
  assert.deepEqual([first.payload.data, first.payload.iv], [second.payload.data, second.payload.iv]);
  assert.notEqual(first.payload.key, second.payload.key);
  assert.deepEqual(await openVector(ours, first), expectedOf(first));
  assert.equal(await openVector(ours, second), "could_not_be_opened");
});

test("vectors: each signed request is accepted or refused as its vector says", async () => {
  for (const vector of verificationVectors) assert.equal(await verifyVector(ours, vector), vector.outcome, vector.name);
});

test("vectors: the public key to seal to is that of the expected fingerprint, else that of the last key", async () => {
  for (const vector of goodVectors) {
    const named = vector.keys.filter(
      ({ name }) =>
        Object.entries(vectorKeys).find(([key]) => key === name)?.[1].fingerprint === vector.expectedFingerprint,
    );
    const sealedTo = vector.expectedFingerprint === undefined ? vector.keys.slice(-1) : named;
    assert.notEqual(await openVector(ours, { ...vector, keys: sealedTo }), "could_not_be_opened", vector.name);
  }
});

test("vectors: every kind of failure has its vector", () => {
  const outcomes = new Set(hostileVectors.map(({ outcome }) => outcome));
  assert.deepEqual([...outcomes].sort(), ["could_not_be_opened", "no_key", "unknown_version"]);
});

test("vectors: names are unique", () => {
  const openingVectors = [...goodVectors, ...hostileVectors, ...foreignVectors, ...hybridVectors];
  const names = [...openingVectors, ...verificationVectors].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test("vectors: the fingerprint of every key is its thumbprint", async () => {
  for (const pair of Object.values(vectorKeys)) assert.equal(await fingerprint(pair.publicKey), pair.fingerprint);
  for (const { publicKey, fingerprint: expected } of Object.values(hybridVectorKeys)) {
    assert.equal(await hybridFingerprint(publicKey), expected);
    assert.deepEqual(parseHybridPublicKey(publicKey), publicKey);
  }
});

test("vectors: a runtime that has the key encapsulation and the library agree on each hybrid vector", async () => {
  for (const vector of hybridVectors)
    assert.deepEqual(await openVector(ours, vector, nobleKem), expectedOf(vector), vector.name);
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
