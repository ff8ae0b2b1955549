// biome-ignore-all lint/suspicious/noTemplateCurlyInString: pieces of source text

import { type Mutant, mutantsOf } from "../../../../tests/support/mutants.ts";

const deciphered = "await decipher(contentKey, iv, data, bound)";
const orElse = (way: string) => `${deciphered}.catch(() => ${way})`;
const isOther = "if (!isCommitment(sealed.subarray(0, commitmentBytes), commitment))";
const withoutComparing = "if (sealed.length < commitmentBytes)";
const rest = "decryptGcm(cipherKey, iv, sealed.subarray(commitmentBytes), bound)";
const orRest = (bound: string) => `${rest}.catch(() => ${rest.replace("bound", bound)})`;
const compared = "of commitment.entries())";
const derivation = "deriveCommitted(key, iv, bound);";
const labelled = "bound.with(11, 0x31)"; // sealpost/sp2 becomes sealpost/sp1

/** Mistakes that an opener of `sp2` could make with the commitment; vectors/hybrid.json. */
export const committedMutants: readonly Mutant[] = [
  ...mutantsOf("open.ts", [
    [
      "what the draft before sealed is taken",
      "hybrid: without a commitment, under the content key",
      deciphered,
      orElse("decryptGcm(contentKey, iv, data, bound)"),
    ],
    [
      "what the draft before sealed is taken, with the second of two contents",
      "hybrid: one data for two content keys, as in the draft before: the second",
      deciphered,
      orElse("decryptGcm(contentKey, iv, data, bound)"),
    ],
  ]),
  ...mutantsOf("committed.ts", [
    ["the commitment is not compared", "hybrid: one data for two content keys: the second", isOther, withoutComparing],
    [
      "a commitment to another content key is taken",
      "hybrid: commitment to another content key",
      isOther,
      withoutComparing,
    ],
    ["a commitment to another iv is taken", "hybrid: commitment to another iv", isOther, withoutComparing],
    ["a commitment to another form is taken", "hybrid: commitment to another form", isOther, withoutComparing],
    [
      "a commitment to another version is taken",
      "hybrid: commitment to another key version",
      isOther,
      withoutComparing,
    ],
    [
      "a commitment to another submission is taken",
      "hybrid: commitment to another submission",
      isOther,
      withoutComparing,
    ],
    [
      "a commitment that was changed is taken",
      "hybrid: data: first bit of the commitment flipped",
      isOther,
      withoutComparing,
    ],
    [
      "16 bytes of the commitment are compared",
      "hybrid: commitment with 16 bytes of another",
      compared,
      "of commitment.subarray(0, 16).entries())",
    ],
    [
      "31 bytes of the commitment are compared",
      "hybrid: commitment with a last byte of another",
      compared,
      "of commitment.subarray(0, 31).entries())",
    ],
    [
      "the highest bits of the commitment are not compared",
      "hybrid: data: first bit of the commitment flipped",
      "return differences === 0;",
      "return (differences & 0x7f) === 0;",
    ],
    [
      "the lowest bits of the commitment are not compared",
      "hybrid: data: last bit of the commitment flipped",
      "return differences === 0;",
      "return differences >> 1 === 0;",
    ],
    [
      "a commitment of 16 bytes is enough",
      "hybrid: commitment of 16 bytes",
      rest,
      `${rest}.catch(() => decryptGcm(cipherKey, iv, sealed.subarray(16), bound))`,
      isOther,
      "if (!isCommitment(sealed.subarray(0, 16), commitment.subarray(0, 16)))",
    ],
    [
      "the commitment may be at the end",
      "hybrid: commitment at the end",
      isOther,
      `if (isCommitment(sealed.subarray(-commitmentBytes), commitment)) return decryptGcm(cipherKey, iv, sealed.subarray(0, -commitmentBytes), bound);\n  ${isOther}`,
    ],
    [
      "the commitment may be missing",
      "hybrid: without a commitment",
      isOther,
      `const whole = await decryptGcm(cipherKey, iv, sealed, bound).catch(() => undefined);\n  if (whole) return whole;\n  ${isOther}`,
    ],
    [
      "the cipher key may be that of another submission",
      "hybrid: cipher key of another submission",
      rest,
      `${rest}.catch(async () => decryptGcm((await deriveCommitted(key, iv, new TextEncoder().encode(new TextDecoder().decode(bound).replace(/w5$/, "w8")))).cipherKey, iv, sealed.subarray(commitmentBytes), bound))`,
    ],
    [
      "the iv may be left out",
      "hybrid: commitment and cipher key without the iv",
      derivation,
      "deriveCommitted(key, iv, bound).then(async (derived) => isCommitment(sealed.subarray(0, commitmentBytes), derived.commitment) ? derived : deriveCommitted(key, new Uint8Array(), bound));",
    ],
    [
      "the commitment may be that of sp1",
      "hybrid: commitment and cipher key of sp1",
      derivation,
      `deriveCommitted(key, iv, bound).then(async (derived) => isCommitment(sealed.subarray(0, commitmentBytes), derived.commitment) ? derived : deriveCommitted(key, iv, ${labelled}));`,
    ],
    ["of sp2 missing additional data is taken", "hybrid: data not bound", rest, orRest("new Uint8Array()")],
    ["data of sp2 may be bound as sp1", "hybrid: data bound as sp1", rest, orRest(labelled)],
  ]),
  ...mutantsOf("committed.ts", [
    ["the content key encrypts", "hybrid: one field", rest, rest.replace("cipherKey", "key")],
    ["the iv is no salt", "hybrid: one field", derivation, "deriveCommitted(key, new Uint8Array(), bound);"],
    [
      "the halves are swapped",
      "hybrid: one field",
      "{ cipherKey, commitment } =",
      "{ cipherKey: commitment, commitment: cipherKey } =",
    ],
  ]),
  ...mutantsOf("hkdf.ts", [
    ["HKDF has another hash", "hybrid: one field", 'hash: "SHA-256"', 'hash: "SHA-512"'],
    [
      "the salt is the key, and the key the salt",
      "hybrid: one field",
      '"raw", material,',
      '"raw", salt,',
      "salt, info }",
      "salt: material, info }",
    ],
  ]),
];
