import assert from "node:assert/strict";
import { test } from "node:test";
import personalKeys from "../../wire/vectors/personal-keys.json" with { type: "json" };
import {
  envelopes,
  expectedOfEnvelope,
  expectedOfList,
  lists,
  openEnvelopeVector,
  ours,
  verifyListVector,
} from "./testing/conformance.ts";
import { personalKeyVectors } from "./testing/people.ts";

for (const vector of lists) {
  test(`list: ${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await verifyListVector(ours, vector), expectedOfList(vector));
  });
}

for (const vector of envelopes) {
  test(`${vector.name}: ${vector.outcome}`, async () => {
    assert.deepEqual(await openEnvelopeVector(ours, vector), expectedOfEnvelope(vector));
  });
}

test("vectors: names are unique, and every refusal has its vector", () => {
  const names = [...lists, ...envelopes].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.deepEqual([...new Set([...lists, ...envelopes].map(({ outcome }) => outcome))].sort(), [
    "broken_chain",
    "forked",
    "key_missing",
    "malformed",
    "not_a_reader",
    "not_allowed",
    "not_signed",
    "not_vouched",
    "old_list",
    "old_revision",
    "opened",
    "other_form",
    "other_organization",
    "unknown_list",
    "verified",
    "wrong_key",
    "wrong_readers",
  ]);
});

test("vectors: everything in a personal key follows from its name", async () => {
  assert.deepEqual(await personalKeyVectors(), personalKeys);
});
