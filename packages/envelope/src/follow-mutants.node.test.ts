import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import type { Mutant } from "../../../tests/support/mutants.ts";
import { verifyList } from "./list.ts";
import { bytesOf, lists } from "./testing/conformance.ts";
import {
  type Following,
  followCases,
  oursFollowing,
  tryFollowing,
  tryUnknown,
  unknownCases,
} from "./testing/follow-cases.ts";
import { followMutants, unknownMutants } from "./testing/follow-mutants.ts";

const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

async function load(mutant: Mutant): Promise<Following> {
  const folder = maker.make(mutant);
  const { followEnvelopes } = await import(join(folder, "follow-envelope.ts"));
  const { findUnknownReaders } = await import(join(folder, "introduced.ts"));
  return { followEnvelopes, findUnknownReaders };
}

test("each wrong way to follow revisions gets the case wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Following>({
    maker,
    mutants: followMutants,
    check: checkOf(followCases, tryFollowing, ({ outcome }) => outcome),
    control: "first sight",
    vectors: followCases,
    ours: oursFollowing,
    load,
  }));

test("each wrong way to leave readers out whom nobody put there gets the case wrong that is named for it, and ours gets them all right", async () => {
  const vector = lists.find(({ name }) => name === "a council") ?? assert.fail();
  const list = await verifyList(bytesOf(vector), vector);
  assert.ok(!("reason" in list));
  await assertCaught<Following>({
    maker,
    mutants: unknownMutants,
    check: checkOf(
      unknownCases,
      (following, one) => tryUnknown(following, list, vector.list, one),
      ({ unknown }) => unknown,
    ),
    control: "a reader whom a manager put there",
    vectors: unknownCases,
    ours: oursFollowing,
    load,
  });
});
