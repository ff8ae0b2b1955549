import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import type { Mutant } from "../../../tests/support/mutants.ts";
import {
  findAhead,
  findDenied,
  findOtherThanLogged,
  lacksNamed,
  settlePublished,
  withoutOtherHybrids,
} from "./planted-keys.ts";
import {
  askedCases,
  deniedCases,
  namedCases,
  plantedCases,
  type Settling,
  tryAsked,
  tryDenied,
  tryNamed,
  trySettling,
} from "./testing/planted-cases.ts";
import { askedMutants, deniedMutants, namedMutants, plantedMutants } from "./testing/planted-mutants.ts";

const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

const ours: Settling = { findAhead, findDenied, findOtherThanLogged, lacksNamed, settlePublished, withoutOtherHybrids };
const load = async (mutant: Mutant) => (await import(join(maker.make(mutant), "planted-keys.ts"))) as Settling;

test("each wrong way to say which keys are published gets the case wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Settling>({
    maker,
    mutants: plantedMutants,
    check: checkOf(plantedCases, trySettling, ({ outcome }) => outcome),
    control: "every key is listed",
    vectors: plantedCases,
    ...{ ours, load },
  }));

test("each wrong way to say what a first revision lacks gets the case wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Settling>({
    maker,
    mutants: namedMutants,
    check: checkOf(namedCases, tryNamed, ({ isLacking }) => isLacking),
    control: "all that the log names",
    vectors: namedCases,
    ...{ ours, load },
  }));

test("each wrong way to say what the log denies of what is remembered gets the case wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Settling>({
    maker,
    mutants: deniedMutants,
    check: checkOf(deniedCases, tryDenied, ({ denied }) => denied),
    control: "both",
    vectors: deniedCases,
    ...{ ours, load },
  }));

test("each wrong way to say which hybrid keys a first sight has to have gets the case wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Settling>({
    maker,
    mutants: askedMutants,
    check: checkOf(askedCases, tryAsked, ({ hybrid }) => hybrid),
    control: "no log counts",
    vectors: askedCases,
    ...{ ours, load },
  }));
