import assert from "node:assert/strict";
import { test } from "node:test";
import { Point, verifyAsync } from "@noble/ed25519";
import { littleEndian, verifyEd25519 } from "@sealpost/wire";
import {
  bytesOfEd25519,
  type Ed25519Vector,
  expectedOfEd25519,
  verifyEd25519Vector,
} from "../../wire/src/testing/ed25519-conformance.ts";
import vectors from "../../wire/vectors/ed25519.json" with { type: "json" };
import { verifyByPoints } from "./ed25519.ts";
import { combine } from "./points.ts";

test("where the browser has no Ed25519, each signature is right or wrong as in a browser that has it", async () => {
  const answers = await Promise.all(
    vectors.map(async (vector) => [vector.name, await verifyEd25519Vector(verifyEd25519, vector, verifyByPoints)]),
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

test("our own points are those of the library: for scalars of each kind, and for texts of 32 bytes, half of which are not points", () => {
  const order = Point.CURVE().n;
  const draw = () => crypto.getRandomValues(new Uint8Array(32));
  const scalars = [1n, 2n, 3n, 2n ** 252n, order - 1n, order - 2n, littleEndian(draw()) % order];
  for (const scalar of scalars)
    for (const other of scalars) {
      const point = Point.BASE.multiply(littleEndian(draw()) % order);
      const sum = Point.BASE.multiply(scalar).subtract(point.multiply(other));
      assert.deepEqual(combine(scalar, other, point.toBytes()), sum.toBytes());
    }
  let points = 0;
  for (let round = 0; round < 64; round++) {
    const text = draw();
    const isPoint = isKnown(text);
    assert.equal(combine(5n, 7n, text) !== undefined, isPoint, Buffer.from(text).toString("hex"));
    points += Number(isPoint);
  }
  assert.ok(points > 10 && points < 54);
});

function isKnown(text: Uint8Array): boolean {
  try {
    Point.fromBytes(text);
    return true;
  } catch {
    return false;
  }
}
