import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import { findAhead, settlePublished } from "./planted-keys.ts";
import { plantedCases, type Settling, trySettling } from "./testing/planted-cases.ts";
import { plantedMutants } from "./testing/planted-mutants.ts";

const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

test("each wrong way to say which keys are published gets the case wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Settling>({
    maker,
    mutants: plantedMutants,
    check: checkOf(plantedCases, trySettling, ({ outcome }) => outcome),
    control: "every key is listed",
    vectors: plantedCases,
    ours: { findAhead, settlePublished },
    load: async (mutant) => (await import(join(maker.make(mutant), "planted-keys.ts"))) as Settling,
  }));
