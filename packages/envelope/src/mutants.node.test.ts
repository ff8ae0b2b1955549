import assert from "node:assert/strict";
import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import type { Mutant } from "../../../tests/support/mutants.ts";
import { isChallengeRight } from "./device.ts";
import { openDeviceHeads } from "./device-heads.ts";
import { followList } from "./follow-list.ts";
import { verifyList } from "./list.ts";
import { apply, isAllowed, nextPlace } from "./list-rules.ts";
import { readNames } from "./names.ts";
import {
  type Admitting,
  admissions,
  admissionWordVectors,
  expectedOfAdmission,
  expectedOfWords,
  oursAdmitting,
  tryAdmission,
  tryWords,
} from "./testing/admission-conformance.ts";
import { admissionMutants, admissionWordMutants } from "./testing/admission-mutants.ts";
import {
  envelopes,
  expectedOfEnvelope,
  expectedOfKeyCopy,
  expectedOfList,
  type Implementation,
  joinSharesVector,
  keyCopies,
  lists,
  openEnvelopeVector,
  openKeyCopyVector,
  ours,
  readSheetVector,
  shareJoins,
  sheetReadings,
  verifyListVector,
} from "./testing/conformance.ts";
import { devices, tryChallenge, tryHeads } from "./testing/device-conformance.ts";
import { challengeMutants, deviceHeadsMutants } from "./testing/device-mutants.ts";
import { firstSights, type Sighting, tryFirstSight } from "./testing/first-sight-conformance.ts";
import { firstSightMutants } from "./testing/first-sight-mutants.ts";
import {
  expectedOfHead,
  type HeadVerifying,
  oursVerifying,
  signedHeads,
  verifyHeadVector,
} from "./testing/head-conformance.ts";
import { headMutants } from "./testing/head-mutants.ts";
import { joinMutants, keyCopyMutants, sheetMutants } from "./testing/key-mutants.ts";
import { placeMutants, vouchingMutants } from "./testing/list-rule-mutants.ts";
import { envelopeMutants, listMutants } from "./testing/mutants.ts";
import {
  expectedOfFile,
  expectedOfNamedList,
  nameVectorFile,
  tryFile,
  tryNamedList,
} from "./testing/name-conformance.ts";
import { namedListMutants, nameFileMutants } from "./testing/name-mutants.ts";
import { isPlaceRight, placeVectorFile } from "./testing/place-conformance.ts";
import { expectedOfVouching, tryVouching, type Vouching, vouchingVectorFile } from "./testing/vouching-conformance.ts";
import { findEdges, findVouched } from "./vouching.ts";

const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

/** The package with one mistake in it. */
async function load(mutant: Mutant): Promise<Implementation> {
  const folder = maker.make(mutant);
  const { verifyList } = await import(join(folder, "list.ts"));
  const { openEnvelope } = await import(join(folder, "open-envelope.ts"));
  const { openKeyCopy } = await import(join(folder, "key-copy.ts"));
  const { parseSheet, parseSheetCode } = await import(join(folder, "recovery-sheet.ts"));
  const { parseShare, parseShareCode, joinShares } = await import(join(folder, "recovery-share.ts"));
  return {
    ...{ verifyList, openEnvelope, openKeyCopy, parseSheet, parseSheetCode },
    ...{ parseShare, parseShareCode, joinShares },
  };
}

const verifies = checkOf(lists, verifyListVector, expectedOfList);
const opens = checkOf(envelopes, openEnvelopeVector, expectedOfEnvelope);
const opensCopy = checkOf(keyCopies, openKeyCopyVector, expectedOfKeyCopy);
const readsSheet = checkOf(sheetReadings, readSheetVector, ({ result }) => result);
const joins = checkOf(shareJoins, joinSharesVector, ({ result }) => result);

test("each wrong check of lists gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    maker,
    mutants: listMutants,
    check: verifies,
    control: "the founder alone",
    vectors: lists,
    ours,
    load,
  }));

test("each wrong word on what a list is good for gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Sighting>({
    maker,
    mutants: firstSightMutants,
    check: checkOf(firstSights, tryFirstSight, ({ outcome }) => outcome),
    control: "sight: an own entry",
    vectors: firstSights,
    ours: { followList },
    load: async (mutant) => import(join(maker.make(mutant), "follow-list.ts")),
  }));

test("each wrong rule of places gets the vector wrong that is named for it, and ours gets them all right", async () => {
  const ours = { apply, isAllowed, nextPlace };
  return assertCaught<typeof ours>({
    maker,
    mutants: placeMutants,
    check: checkOf(placeVectorFile.cases, isPlaceRight, () => true),
    control: "an owner removes, at place 1023",
    vectors: placeVectorFile.cases,
    ours,
    load: async (mutant) => import(join(maker.make(mutant), "list-rules.ts")),
  });
});

test("each wrong way to find who is vouched for gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Vouching>({
    maker,
    mutants: vouchingMutants,
    check: checkOf(vouchingVectorFile, tryVouching, expectedOfVouching),
    control: "vouching: everybody, through the founder",
    vectors: vouchingVectorFile,
    ours: { findEdges, findVouched },
    load: async (mutant) => import(join(maker.make(mutant), "vouching.ts")),
  }));

test("each wrong reader of a file of names gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<typeof readNames>({
    maker,
    mutants: nameFileMutants,
    check: checkOf(nameVectorFile.files, tryFile, expectedOfFile),
    control: "three names",
    vectors: nameVectorFile.files,
    ours: readNames,
    load: async (mutant) => (await import(join(maker.make(mutant), "names.ts"))).readNames,
  }));

test("each wrong way to put names to a list gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<typeof verifyList>({
    maker,
    mutants: namedListMutants,
    check: checkOf(nameVectorFile.lists, tryNamedList, expectedOfNamedList),
    control: "named list: no names",
    vectors: nameVectorFile.lists,
    ours: verifyList,
    load: async (mutant) => (await import(join(maker.make(mutant), "list.ts"))).verifyList,
  }));

test("each wrong opener of envelopes gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    maker,
    mutants: envelopeMutants,
    check: opens,
    control: "envelope: one key version",
    vectors: envelopes,
    ours,
    load,
  }));

test("each wrong opener of a key's copies gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    maker,
    mutants: keyCopyMutants,
    check: opensCopy,
    control: "copy: a sheet",
    // The one that takes a second of the processor has a test of its own.
    vectors: keyCopies.filter(({ secret, outcome }) => outcome !== "opened" || !("passphrase" in secret)),
    ours,
    load,
  }));

test("each wrong reader of recovery sheets gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    maker,
    mutants: sheetMutants,
    check: readsSheet,
    control: sheetReadings[0]?.name ?? "",
    vectors: sheetReadings,
    ours,
    load,
  }));

test("each wrong way of joining shares gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({ maker, mutants: joinMutants, check: joins, control: "join: one", vectors: shareJoins, ours, load }));

async function loadAdmitting(mutant: Mutant): Promise<Admitting> {
  const folder = maker.make(mutant);
  const { verifyList } = await import(join(folder, "list.ts"));
  const { openAdmission, readAdmission } = await import(join(folder, "admission.ts"));
  const { linkOfWords } = await import(join(folder, "admission-words.ts"));
  return { verifyList, openAdmission, readAdmission, linkOfWords };
}

test("each wrong reader of admissions gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Admitting>({
    maker,
    mutants: admissionMutants,
    check: checkOf(admissions, tryAdmission, expectedOfAdmission),
    control: "admission: answered with its link",
    vectors: admissions,
    ours: oursAdmitting,
    load: loadAdmitting,
  }));

test("each wrong reader of an admission's words gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<Admitting>({
    maker,
    mutants: admissionWordMutants,
    check: checkOf(admissionWordVectors, tryWords, expectedOfWords),
    control: "words: those that were read out",
    vectors: admissionWordVectors,
    ours: oursAdmitting,
    load: loadAdmitting,
  }));

test("each wrong verifier of signed heads gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<HeadVerifying>({
    maker,
    mutants: headMutants,
    check: checkOf(signedHeads, verifyHeadVector, expectedOfHead),
    control: "head: of a reader, who signs no entry",
    vectors: signedHeads,
    ours: oursVerifying,
    async load(mutant) {
      const { verifySignedHead } = await import(join(maker.make(mutant), "signed-head.ts"));
      return { verifySignedHead };
    },
  }));

test("each new device that takes a wrong challenge gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<typeof isChallengeRight>({
    maker,
    mutants: challengeMutants,
    check: checkOf(devices.challenges, tryChallenge, ({ outcome }) => outcome),
    control: "scanned",
    vectors: devices.challenges,
    ours: isChallengeRight,
    load: async (mutant) => (await import(join(maker.make(mutant), "device.ts"))).isChallengeRight,
  }));

test("each wrong reader of a device's heads gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught<typeof openDeviceHeads>({
    maker,
    mutants: deviceHeadsMutants,
    check: checkOf(devices.heads, tryHeads, ({ outcome }) => outcome),
    control: "heads: of everything",
    vectors: devices.heads,
    ours: openDeviceHeads,
    load: async (mutant) => (await import(join(maker.make(mutant), "device-heads.ts"))).openDeviceHeads,
  }));

test("a hundred mistakes are known, each another one", () => {
  const all = [listMutants, envelopeMutants, keyCopyMutants, sheetMutants, joinMutants, admissionMutants, headMutants];
  all.push(challengeMutants, deviceHeadsMutants);
  for (const mutants of [...all, admissionWordMutants])
    assert.equal(new Set(mutants.map(({ name }) => name)).size, mutants.length);
  assert.ok(listMutants.length + envelopeMutants.length >= 100, `${listMutants.length + envelopeMutants.length}`);
});
