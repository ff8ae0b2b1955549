import { join } from "node:path";
import { after, test } from "node:test";
import { assertCaught, checkOf, createMutantMaker } from "../../../tests/support/mutant-maker.ts";
import { mutantsOf } from "../../../tests/support/mutants.ts";
import ed25519Json from "../vectors/ed25519.json" with { type: "json" };
import { verifyEd25519 } from "./ed25519.ts";
import { verifyKeyLog } from "./key-log.ts";
import { type Ed25519Vector, expectedOfEd25519, verifyEd25519Vector } from "./testing/ed25519-conformance.ts";
import { signedLineCases, tryOnKeyLog } from "./testing/signed-line-conformance.ts";

const maker = createMutantMaker(import.meta.dirname);
after(maker.remove);

const vectors: readonly Ed25519Vector[] = ed25519Json;
const zero = "00".repeat(32);

/** Mistakes that somebody could make who verifies Ed25519. */
const equationMutants = mutantsOf("ed25519.ts", [
  ["any key is usable", `ed25519: a small point as the key, ${zero}`, "    isUsableEd25519(publicKey) &&\n", ""],
  [
    "any first half is usable",
    `ed25519: a small point as the first half, ${zero}`,
    "    isUsableEd25519(signature.subarray(0, 32)) &&\n",
    "",
  ],
  ["second halves of any size are taken", "ed25519: second half: L", " < groupOrder", " !== 0n"],
  ["the second half may be the order", "ed25519: second half: L", " < groupOrder", " <= groupOrder"],
  ["other spellings of a key are taken", "ed25519: y = p + 3, as the key", "y < prime && ", ""],
  ["the sign of x counts as a part of y", "ed25519: honest", "littleEndian(bytes) % 2n ** 255n", "littleEndian(bytes)"],
  [
    "points of order 8 are usable",
    "ed25519: a small point as the key, 26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
    ", 0x05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826n",
    "",
  ],
  [
    "the upper half of the small points is usable",
    "ed25519: a small point as the key, c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
    "y < prime - y ? y : prime - y",
    "y",
  ],
]);

test("each wrong verifier of Ed25519 gets the vector wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    maker,
    mutants: equationMutants,
    check: checkOf(vectors, verifyEd25519Vector, expectedOfEd25519),
    control: "ed25519: 7 T added to the key, and 7 T to the first half, which do not fit",
    vectors,
    ours: verifyEd25519,
    load: async (mutant) => (await import(join(maker.make(mutant), "ed25519.ts"))).verifyEd25519,
  }));

/** Mistakes that somebody could make who reads signed lines. */
const lineMutants = mutantsOf("signed-line.ts", [
  ["depth is not counted", "malformed: 65 levels", "if (isTooDeep(line)) return undefined;", ""],
  [
    "other spellings are taken",
    "malformed: white space",
    "JSON.stringify(parsed) === line ? parsed : undefined",
    "parsed",
  ],
  ["any number of bytes is taken", "malformed: a byte too many", ".length <= bytesMax", ".length > 0"],
  ["a byte less is allowed", "taken: as many bytes as there may be", ".length <= bytesMax", ".length < bytesMax"],
  [
    "letters are counted as bytes",
    "malformed: a letter too many, of two bytes",
    "encodeText(JSON.stringify(extensions) + JSON.stringify(critical)).length",
    "(JSON.stringify(extensions) + JSON.stringify(critical)).length",
  ],
  [
    "halves of surrogate pairs are taken",
    "malformed: the first half of a surrogate pair",
    "!/\\p{Cs}/u.test(value)",
    "true",
  ],
  ["larger numbers are taken", "malformed: 2^53", "Number.isSafeInteger(value) &&", ""],
  ["fractions are taken", "malformed: a half", "Number.isSafeInteger(value) &&", ""],
  ["negative numbers are taken", "malformed: a negative number", " && value >= 0", ""],
  ["names may be of any form", "malformed: a name that begins with a capital", "namePattern.test(name) && ", ""],
  ["longer names are taken", "malformed: a name of 65 characters", "{0,63}", "{0,64}"],
  ["shorter names alone are taken", "taken: a name of 64 characters", "{0,63}", "{0,62}"],
  ["only the first level is looked at", "malformed: a wrong name further down", " && isValue(value[name])", ""],
  ["names in any order are taken", "malformed: names in another order further down", ") && isAscending(names);", ");"],
  ["critical names in any order are taken", "critical: in another order", "    isAscending(critical) &&\n", ""],
  [
    "a critical name counts twice",
    "critical: one twice",
    "String(names[index - 1]) < String(name)",
    "String(names[index - 1]) <= String(name)",
  ],
  ["critical names need not be there", "critical: one that is not there", " && Object.hasOwn(extensions, name)", ""],
  [
    "critical names may be those of every object",
    "critical: one that objects already have",
    "Object.hasOwn(extensions, name)",
    "name in extensions",
  ],
  [
    "critical may be a text",
    "critical: a number",
    'typeof name === "string" && Object.hasOwn(extensions, name)',
    "Object.hasOwn(extensions, String(name)) || name === 1",
  ],
  ["what is critical is ignored", "critical: unknown", "return critical.length === 0;", "return critical.length >= 0;"],
  [
    "only the first critical name is looked at",
    "critical: two unknown ones",
    "return critical.length === 0;",
    "return critical.length !== 1;",
  ],
]);

test("each wrong reader of signed lines gets the case wrong that is named for it, and ours gets them all right", () =>
  assertCaught({
    maker,
    mutants: lineMutants,
    check: checkOf(signedLineCases, tryOnKeyLog, ({ outcome }) => outcome),
    control: "taken: none",
    vectors: signedLineCases,
    ours: verifyKeyLog,
    load: async (mutant) => (await import(join(maker.make(mutant), "key-log.ts"))).verifyKeyLog,
  }));
