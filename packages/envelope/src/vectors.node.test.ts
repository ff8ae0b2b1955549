import assert from "node:assert/strict";
import { test } from "node:test";
import vouching from "../../wire/vectors/list-vouching.json" with { type: "json" };
import names from "../../wire/vectors/names.json" with { type: "json" };
import signedLines from "../../wire/vectors/signed-lines.json" with { type: "json" };
import { followList } from "./follow-list.ts";
import {
  admissionVectorFile,
  admissionWordVectors,
  expectedOfWords,
  oursAdmitting,
  tryWords,
} from "./testing/admission-conformance.ts";
import { admissionVectors } from "./testing/admission-vectors.ts";
import { envelopes, expectedOfKeyCopy, keyCopies, lists, openKeyCopyVector, ours } from "./testing/conformance.ts";
import { envelopeVectors } from "./testing/envelope-vectors.ts";
import { firstSights, tryFirstSight } from "./testing/first-sight-conformance.ts";
import { firstSightVectors } from "./testing/first-sight-vectors.ts";
import { signedHeads } from "./testing/head-conformance.ts";
import { headVectors } from "./testing/head-vectors.ts";
import { keyCopyVectors } from "./testing/key-copy-vectors.ts";
import { listVectors } from "./testing/list-vectors.ts";
import { nameVectors } from "./testing/name-vectors.ts";
import { signedLineVectors } from "./testing/signed-line-vectors.ts";
import { vouchingVectors } from "./testing/vouching-vectors.ts";

test("generating the vectors of lists again gives their file: signatures of Ed25519 are always the same", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await listVectors())), lists);
});

test("generating the vectors of vouching again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await vouchingVectors())), vouching);
});

test("generating the vectors of signed lines again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await signedLineVectors())), signedLines);
});

test("generating the vectors of names again gives their file", async () => {
  assert.deepEqual(await nameVectors(), names);
});

test("generating the vectors of signed heads again gives their file", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await headVectors())), signedHeads);
});

test("generating the vectors of first sights again gives their file, and a list is for reading until its person has brought what vouches for it", async () => {
  assert.deepEqual(JSON.parse(JSON.stringify(await firstSightVectors())), firstSights);
  for (const vector of firstSights)
    assert.equal(await tryFirstSight({ followList }, vector), vector.outcome, vector.name);
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

test("generating the vectors of copies again gives the same secrets and refusals", async () => {
  const made = await keyCopyVectors(keyCopies);
  assert.deepEqual(
    made.map(({ copy: _, ...vector }) => vector),
    keyCopies.map(({ copy: _, ...vector }) => vector),
  );
});

test("generating the vectors of admissions again gives the same lists, terms, answers and refusals", async () => {
  const { lists, vectors, words } = JSON.parse(JSON.stringify(await admissionVectors()));
  assert.deepEqual(lists, admissionVectorFile.lists);
  assert.deepEqual(vectors, admissionVectorFile.vectors);
  assert.deepEqual(words, admissionVectorFile.words);
});

// Each takes a third of a second of the processor, which Node.js spends alone.
test("words stand for the link of their vector, and fit no other terms", async () => {
  for (const vector of admissionWordVectors)
    assert.deepEqual(await tryWords(oursAdmitting, vector), expectedOfWords(vector), vector.name);
});

test("a copy for a passphrase opens with it, however its letters and spaces were typed", async () => {
  const [vector, ...more] = keyCopies.filter(({ secret, outcome }) => outcome === "opened" && "passphrase" in secret);
  assert.ok(vector !== undefined && more.length === 0);
  assert.deepEqual(await openKeyCopyVector(ours, vector), await expectedOfKeyCopy(vector));
});
