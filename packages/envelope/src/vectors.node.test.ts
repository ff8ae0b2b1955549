import assert from "node:assert/strict";
import { test } from "node:test";
import { envelopes, lists } from "./testing/conformance.ts";
import { envelopeVectors } from "./testing/envelope-vectors.ts";
import { listVectors } from "./testing/list-vectors.ts";

test("generating the vectors of lists again gives their file: signatures of Ed25519 are always the same", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await listVectors())), lists);
});

test("generating the vectors of envelopes again gives the same content, recipients and refusals", async () => {
  const made = (await envelopeVectors(envelopes)).map((vector) => JSON.stringify(vector));
  const changed = envelopes.filter((vector, index) => JSON.stringify(vector) !== made[index]);
  assert.deepEqual(
    changed.map(({ name }) => name),
    [],
  );
  assert.equal(made.length, envelopes.length);
});
