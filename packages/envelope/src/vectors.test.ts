import assert from "node:assert/strict";
import { test } from "node:test";
import personalKeys from "../../wire/vectors/personal-keys.json" with { type: "json" };
import signedLines from "../../wire/vectors/signed-lines.json" with { type: "json" };
import { verifyList } from "./list.ts";
import {
  admissions,
  admissionWordVectors,
  expectedOfAdmission,
  oursAdmitting,
  tryAdmission,
} from "./testing/admission-conformance.ts";
import {
  bytesOf,
  envelopes,
  expectedOfEnvelope,
  expectedOfKeyCopy,
  expectedOfList,
  joinSharesVector,
  keyCopies,
  lists,
  openEnvelopeVector,
  openKeyCopyVector,
  ours,
  readSheetVector,
  shareJoins,
  sheetReadings,
  sheets,
  verifyListVector,
} from "./testing/conformance.ts";
import { expectedOfHead, oursVerifying, signedHeads, verifyHeadVector } from "./testing/head-conformance.ts";
import { personalKeyVectors } from "./testing/people.ts";
import { sheetVectors } from "./testing/sheet-vectors.ts";
import type { SignedLineVector } from "./testing/signed-line-vectors.ts";

for (const vector of lists) {
  test(`list: ${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await verifyListVector(ours, vector), expectedOfList(vector));
  });
}

// Our own generator wrote them from this type; JSON only widens the texts.
for (const vector of signedLines as unknown as readonly SignedLineVector[]) {
  test(`${vector.name}: ${vector.outcome}`, async () => {
    const list = await verifyList(bytesOf(vector), vector);
    assert.equal("reason" in list ? list.reason : "verified", vector.outcome);
  });
}

for (const vector of envelopes) {
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await openEnvelopeVector(ours, vector), expectedOfEnvelope(vector));
  });
}

// A passphrase takes a second of the processor, which Node.js spends alone (vectors.node.test.ts).
for (const vector of keyCopies.filter(({ secret, outcome }) => outcome !== "opened" || !("passphrase" in secret))) {
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await openKeyCopyVector(ours, vector), await expectedOfKeyCopy(vector));
  });
}

for (const vector of sheetReadings) {
  test(`${vector.name}: ${Object.keys(vector.result ?? { refused: true })}`, async () => {
    assert.deepEqual(await readSheetVector(ours, vector), vector.result);
  });
}

for (const vector of shareJoins) {
  test(`${vector.name}: ${Object.keys(vector.result)}`, async () => {
    assert.deepEqual(await joinSharesVector(ours, vector), vector.result);
  });
}

for (const vector of admissions) {
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await tryAdmission(oursAdmitting, vector), expectedOfAdmission(vector));
  });
}

for (const vector of signedHeads) {
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await verifyHeadVector(oursVerifying, vector), expectedOfHead(vector));
  });
}

test("vectors: the lines and the code of a recovery sheet follow from its secret", async () => {
  assert.deepEqual(await sheetVectors(), sheets);
});

test("vectors: names are unique, and every refusal has its vector", () => {
  const refusing = [...lists, ...envelopes, ...keyCopies, ...admissions, ...admissionWordVectors, ...signedHeads];
  const names = [...refusing, ...sheetReadings, ...shareJoins].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual([...new Set(refusing.map(({ outcome }) => outcome))].sort(), [
    "broken_chain",
    "ended",
    "forked",
    "key_missing",
    "malformed",
    "not_a_reader",
    "not_allowed",
    "not_signed",
    "not_vouched",
    "old_key_log",
    "old_list",
    "old_revision",
    "opened",
    "other_form",
    "other_key",
    "other_organization",
    "other_previous",
    "slow_clock",
    "unknown_extension",
    "unknown_key_log",
    "unknown_list",
    "used",
    "verified",
    "wrong_answer",
    "wrong_key",
    "wrong_link",
    "wrong_readers",
    "wrong_revision",
    "wrong_secret",
    "wrong_words",
  ]);
});

test("vectors: everything in a personal key follows from its name", async () => {
  assert.deepEqual(await personalKeyVectors(), personalKeys);
});
