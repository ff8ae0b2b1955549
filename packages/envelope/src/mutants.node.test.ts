import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import {
  assertCaught,
  type Check,
  createMutantMaker,
  findVector,
  isEqual,
} from "../../../tests/support/mutant-maker.ts";
import type { Mutant } from "../../../tests/support/mutants.ts";
import {
  envelopes,
  expectedOfEnvelope,
  expectedOfList,
  type Implementation,
  lists,
  openEnvelopeVector,
  ours,
  verifyListVector,
} from "./testing/conformance.ts";
import { envelopeMutants, listMutants } from "./testing/mutants.ts";

const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

/** The package with one mistake in it. */
async function load(mutant: Mutant): Promise<Implementation> {
  const folder = maker.make(mutant);
  const { verifyList } = await import(join(folder, "list.ts"));
  const { openEnvelope } = await import(join(folder, "open-envelope.ts"));
  return { verifyList, openEnvelope };
}

const verifies: Check<Implementation> = (implementation, name) => {
  const vector = findVector(lists, name);
  return isEqual(verifyListVector(implementation, vector), expectedOfList(vector));
};

const opens: Check<Implementation> = (implementation, name) => {
  const vector = findVector(envelopes, name);
  return isEqual(openEnvelopeVector(implementation, vector), expectedOfEnvelope(vector));
};

test("each wrong check of lists gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({ mutants: listMutants, check: verifies, control: "the founder alone", vectors: lists, ours, load }));

test("each wrong opener of envelopes gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    mutants: envelopeMutants,
    check: opens,
    control: "envelope: one key version",
    vectors: envelopes,
    ours,
    load,
  }));

test("a hundred mistakes are known, each another one", () => {
  for (const mutants of [listMutants, envelopeMutants])
    assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  assert.ok(listMutants.length + envelopeMutants.length >= 100, `${listMutants.length + envelopeMutants.length}`);
});
