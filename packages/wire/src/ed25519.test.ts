import assert from "node:assert/strict";
import { test } from "node:test";
import ed25519Json from "../vectors/ed25519.json" with { type: "json" };
import { verifyEd25519 } from "./ed25519.ts";
import {
  bytesOfEd25519,
  type Ed25519Vector,
  expectedOfEd25519,
  verifyEd25519Vector,
} from "./testing/ed25519-conformance.ts";

const vectors: readonly Ed25519Vector[] = ed25519Json;

for (const vector of vectors) {
  test(`${vector.name}: ${vector.isRight}`, async () => {
    assert.deepEqual(await verifyEd25519Vector(verifyEd25519, vector), expectedOfEd25519(vector));
  });
}

test("vectors: there are signatures that the equation with the factor 8 takes and this one does not", () => {
  assert.equal(new Set(vectors.map(({ name }) => name)).size, vectors.length);
  const differing = vectors.filter(({ isRight, isUsable, withFactor8 }) => isUsable && withFactor8 && !isRight);
  assert.ok(differing.length > 20, `${differing.length}`);
});

test("keys and signatures of another length are refused before a library is asked", async () => {
  const [vector] = vectors;
  assert.ok(vector);
  const [key, signature, data] = bytesOfEd25519(vector);
  const takesAll = async () => true;
  assert.equal(await verifyEd25519(key, signature, data, takesAll), true);
  for (const [wrongKey, wrongSignature] of [
    [key.subarray(1), signature],
    [new Uint8Array([...key, 0]), signature],
    [key, signature.subarray(1)],
    [key, new Uint8Array([...signature, 0])],
    [new Uint8Array(), new Uint8Array()],
  ] as const)
    assert.equal(await verifyEd25519(wrongKey, wrongSignature, data, takesAll), false);
});
