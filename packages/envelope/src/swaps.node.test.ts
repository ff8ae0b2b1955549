import assert from "node:assert/strict";
import { test } from "node:test";
import swapsJson from "../../wire/vectors/swaps.json" with { type: "json" };
import { signedObjects } from "./testing/signed-objects.ts";
import { type SwapVector, swapVectors } from "./testing/swap-vectors.ts";

// Our own generator wrote the file from this type.
const vectors = swapsJson as readonly SwapVector[];

test("nothing of one signed object is taken in another one, nor in the place of it", async () => {
  const objects = new Map((await signedObjects()).map((object) => [object.label, object]));
  const wrong: string[] = [];
  for (const { name, label, lines, outcome } of vectors) {
    const got = await objects.get(label)?.take(new TextEncoder().encode(lines));
    if (got !== outcome) wrong.push(`${label}: ${name}: ${got}, not ${outcome}`);
  }
  assert.deepEqual(wrong, []);
});

test("every member of each signed object is swapped in a vector", async () => {
  for (const { label, content } of await signedObjects()) {
    const swapped = vectors.flatMap((vector) => (vector.label === label ? [vector.name.split(/[. ]/)[0]] : []));
    for (const name of Object.keys(content).filter((one) => !["format", "extensions", "critical"].includes(one)))
      assert.ok(swapped.includes(name), `${label}: ${name}`);
  }
});

test("generating the swaps again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await swapVectors())), vectors);
});
