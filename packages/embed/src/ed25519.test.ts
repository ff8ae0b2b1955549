import assert from "node:assert/strict";
import { test } from "node:test";
import { verifyAsync } from "@noble/ed25519";
import { verifyEd25519 } from "@sealpost/wire";
import {
  bytesOfEd25519,
  type Ed25519Vector,
  expectedOfEd25519,
  verifyEd25519Vector,
} from "../../wire/src/testing/ed25519-conformance.ts";
import vectors from "../../wire/vectors/ed25519.json" with { type: "json" };
import { verifyByLibrary } from "./ed25519.ts";

test("where the browser has no Ed25519, each signature is right or wrong as in a browser that has it", async () => {
  const answers = await Promise.all(
    vectors.map(async (vector) => [vector.name, await verifyEd25519Vector(verifyEd25519, vector, verifyByLibrary)]),
  );
  assert.deepEqual(
    answers,
    vectors.map((vector) => [vector.name, expectedOfEd25519(vector)]),
  );
});

test("a control: the library's own check would take signatures that no browser takes", async () => {
  const takenByLibrary = async (vector: Ed25519Vector) => {
    const [key, signature, data] = bytesOfEd25519(vector);
    return verifyAsync(signature, data, key, { zip215: false }).catch(() => false);
  };
  const taken = await Promise.all(vectors.map(takenByLibrary));
  const wrong = vectors.filter(({ isRight }, index) => taken[index] && !isRight);
  assert.ok(wrong.length > 20, `${wrong.length}`);
});
