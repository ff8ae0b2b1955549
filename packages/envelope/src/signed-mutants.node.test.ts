import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import { readSigned } from "./open-envelope.ts";
import { expectedOfSigned, type SignedReading, signedVectors, trySigned } from "./testing/signed-conformance.ts";
import { signedMutants } from "./testing/signed-mutants.ts";

const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

test("each wrong way to say who has signed a revision gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<SignedReading>({
    maker,
    mutants: signedMutants,
    check: checkOf(signedVectors, trySigned, expectedOfSigned),
    control: "envelope: one key version",
    vectors: signedVectors,
    ours: { readSigned },
    load: async (mutant) => import(join(maker.make(mutant), "open-envelope.ts")),
  }));
