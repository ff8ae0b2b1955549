import { mutantsOf } from "../../../../tests/support/mutants.ts";

const workFactor = `more[0] === \`\${scryptWorkFactor}\``;

/** Mistakes that somebody could make who opens copies of personal keys; vectors/key-copies.json. */
export const keyCopyMutants = mutantsOf("key-copy.ts", [
  ["other public halves are taken", "copy: another recipient than expected", 'check(isExpected, "other_key");', ""],
  [
    "only the recipient is compared",
    "copy: another signing key than expected",
    " && expected.signingKey === key.signingKey",
    "",
  ],
  [
    "only the signing key is compared",
    "copy: another recipient than expected",
    "expected.recipient === key.recipient && ",
    "",
  ],
  ["the format is not looked at", "copy: another format", "/^sealpost-personal-key\\/1$/", "/./"],
  [
    "times are not looked at",
    "copy: a day that no calendar has",
    "createdAt: parseTime(createdAt)",
    "createdAt: String(createdAt)",
  ],
  [
    "another secret is called damage",
    "copy: another sheet",
    'file, "wrong_secret");\n  const',
    'file, "malformed" as never);\n  const',
  ],
  ["what is critical is ignored", "copy: a critical extension", "  checkCritical(content);\n", ""],
  [
    "what is critical is asked after the public halves",
    "copy: a critical extension in a copy of another key",
    "  checkCritical(content);\n",
    "",
    'check(isExpected, "other_key");',
    'check(isExpected, "other_key");\n  check(!("lock" in key.extensions), "unknown_extension");',
  ],
  [
    "what is critical is asked before the identity",
    "copy: a critical extension with an identity of X25519",
    '  check(hybridSeedOf(identity) !== undefined, "malformed");\n  checkCritical(content);',
    '  checkCritical(content);\n  check(hybridSeedOf(identity) !== undefined, "malformed");',
  ],
  ["a seed of any length is taken", "copy: a seed of 31 bytes", "seed: parse32Bytes(seed)", "seed: String(seed)"],
  [
    "a copy may have no seed",
    "copy: no seed",
    "seed: parse32Bytes(seed)",
    "seed: seed === undefined ? (undefined as never) : parse32Bytes(seed)",
  ],
  [
    "extensions get lost",
    "copy: extensions that nobody knows",
    "const { signingSeed, seed, extensions } = content;",
    "const { signingSeed, seed } = content;\n  const extensions = {};",
  ],
  ["what follows is ignored", "copy: a second identity", "\\n(\\S+)\\n$/", "\\n(\\S+)\\n/"],
  ["a missing line end is ignored", "copy: no line end", "(\\S+)\\n$/", "(\\S+)\\n?$/"],
  [
    "identities of X25519 are taken",
    "copy: an identity of X25519",
    'check(hybridSeedOf(identity) !== undefined, "malformed");',
    "",
  ],
]).concat(
  // Not one of these computes anything: a work factor that were tried would take seconds, or the age of the universe.
  mutantsOf("copy-form.ts", [
    ["several recipients are taken", "copy: two recipients", " || others.length > 0", ""],
    [
      "any kind of recipient is taken",
      "copy: a recipient of X25519",
      'return isHybrid && isX25519Key(bytes.subarray(-32)) ? "identity" : undefined;',
      'return "identity";',
    ],
    [
      "a lower work factor is computed",
      "copy: a work factor of 17",
      workFactor,
      'more[0] === "18" || more[0] === "17"',
    ],
  ]),
);

/** Mistakes that somebody could make who reads recovery sheets; vectors/recovery-sheets.json. */
export const sheetMutants = mutantsOf("sheet-lines.ts", [
  ["checks are not compared", "sheet: two letters swapped", "return isRight ? bytes : undefined;", "return bytes;"],
  ["small letters are refused", "sheet: small letters, hyphens and no spaces", "line.toUpperCase()", "line"],
  ["hyphens are refused", "sheet: small letters, hyphens and no spaces", "[\\s-]", "\\s"],
  ["the letter O is refused", "sheet: the letters O, I and L", '.replaceAll("O", "0")', ""],
  ["the letter L is refused", "sheet: the letters O, I and L", "/[IL]/g", "/I/g"],
  ["letters too many are cut", "sheet: a letter too many", "[...typed].map", "[...typed.slice(0, 15)].map"],
  [
    "a line may stand elsewhere",
    "sheet: two lines swapped",
    "const isRight = ",
    "const isRight = (value & 2047n) === (await checkOf(kind, 1 - index, bytes)) || ",
  ],
  [
    "the first wrong line is the only one",
    "sheet: two lines swapped",
    "wrongLines.push(index);",
    "wrongLines.splice(0, 1, index);",
  ],
  ["missing lines are ignored", "sheet: a line is missing", "index < count;", "index < lines.length;"],
  ["other kinds are not named", "sheet: the sheet of an organization", "return { otherKind };", ";"],
  ["any version of a code is taken", "code: of another version", "SHEET\\/1:", "SHEET\\/\\d:"],
  [
    "what follows a code is ignored",
    "code: with more after it",
    "text.length !== lineCounts[found] * lineCharacters",
    "text.length < lineCounts[found] * lineCharacters",
  ],
  [
    "lines of a damaged code are named",
    "code: with a letter changed",
    '"bytes" in parsed ? parsed : undefined',
    "parsed",
  ],
  [
    "a code of another kind is taken",
    "code: of another kind",
    "if (found !== kind) return { otherKind: found };",
    "kind = found;",
  ],
  [
    "shares are no kind",
    "sheet: a share as a person's sheet",
    "others = sheetKinds.filter((other) => other !== kind)",
    'others = sheetKinds.filter((other) => other !== kind && other !== "share")',
  ],
]).concat(
  mutantsOf("recovery-share.ts", [
    ["places are not looked at", "sheet: a share in place zero", "place < 1 || ", ""],
    ["places have no end", "sheet: a share after the last", " || place > of", ""],
    ["one sheet may open", "sheet: a share of a set that one sheet opens", "needed >= 2 && ", ""],
    [
      "more may be needed than there are",
      "code: a share of a set that no number of sheets opens",
      "needed <= of && ",
      "",
    ],
    ["sets have no end", "code: a share of seventeen", "of <= sharesMax", "true"],
    [
      "damaged shares are read from codes",
      "code: a share of seventeen",
      '"wrongLines" in share ? undefined : share',
      "share",
    ],
  ]),
);

/** Mistakes that somebody could make who joins shares; vectors/recovery-sheets.json. */
export const joinMutants = mutantsOf("recovery-share.ts", [
  ["sets are not compared", "join: of another set", "other.set === set && ", ""],
  [
    "only the sets of those that it takes are compared",
    "join: of another set, after enough",
    "shares.every((other)",
    "shares.slice(0, needed).every((other)",
  ],
  ["thresholds are not compared", "join: one that claims another threshold", "other.needed === needed && ", ""],
  ["numbers of sheets are not compared", "join: one that claims another number of sheets", " && other.of === of", ""],
  [
    "what differs in one place is not noticed",
    "join: the same place of another splitting",
    'if (shares.some(({ place, value }) => !isSame(value, byPlace.get(place)?.value))) return { refused: "differing" };',
    "",
  ],
  ["one counts as often as it comes", "join: one twice", "byPlace.size < needed", "shares.length < needed"],
  ["two are always enough", "join: two of three that it takes", "byPlace.size < needed", "byPlace.size < 2"],
  [
    "the key is not compared",
    "join: another place of another splitting",
    '=== set ? { identity } : { refused: "damaged" }',
    '!== "" ? { identity } : { refused: "damaged" }',
  ],
  ["places are not given along", "join: the first two", "[...value, place]", "[...value, place + 1]"],
]);
