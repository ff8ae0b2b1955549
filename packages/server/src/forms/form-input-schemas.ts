import { Type } from "typebox";
import { documented } from "../http/document.ts";
import { closed } from "../http/schemas.ts";
import { envelopeTextDescription, envelopeTextLengthMax } from "./envelope.ts";
import { nameLengthMax } from "./form.ts";
import { type KeyClosing, KeyClosingInput } from "./key-closing.ts";
import { changedSettingInputs, createdSettingInputs } from "./setting-schemas.ts";
import { KeyLogEntryText } from "./write-key-log.ts";

/** The characters that `trim` removes (ECMA-262, WhiteSpace and LineTerminator), and those that a name may have (`parseName`). */
const space = "[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";
const hidden = "\\u061c\\u200b\\u200e\\u200f\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff\\ufff9-\\ufffb";
const inName = `[^\\u0000-\\u001f\\u007f-\\u009f${hidden}]`;
const atEdge = `[^\\u0000- \\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u202f\\u205f\\u3000${hidden}]`;
/** One that fits can still be refused: that one character is visible is more than a pattern of every language can say. */
const namePattern = `^${space}*${atEdge}(?:${inName}{0,${nameLengthMax - 2}}${atEdge})?${space}*$`;

/**
 * What `parsePublicKey` takes. 2,048 bits are 342 characters and 4,096 are 683: 85 to 170 whole groups of four, then two or
 * three characters or none, whose last has a set lowest bit, and no bits that belong to no byte.
 */
const modulusPattern = (() => {
  const any = "[A-Za-z0-9_-]";
  const odd = { whole: "[BDFHJLNPRTVXZbdfhjlnprtvxz13579_]", two: "[Qw]", three: "[EMUcks08]" };
  const first = `(?:[B-Za-z0-9_-]${any}|A[Q-Za-z0-9_-])`;
  const smallest = `[g-z0-9_-]${any}{340}${odd.two}`;
  const groups = (min: number, max: number) => `${first}${any}{2}(?:${any}{4}){${min - 1},${max - 1}}`;
  return `^(?:${smallest}|${groups(85, 170)}${any}{2}${odd.three}|${groups(86, 170)}${any}${odd.two}|${groups(85, 169)}${any}{3}${odd.whole})$`;
})();

const nameInput = documented(
  Type.String({
    description: `1 to ${nameLengthMax} characters after trimming, at least one of them visible and none a control character.`,
  }),
  { pattern: namePattern },
);

/** Further members of a public key's JWK (RFC 7517, section 4), accepted from callers and dropped. */
export const publicMembersDropped: readonly string[] = ["alg", "use", "key_ops", "ext", "kid"];

const ownKeyMembers = {
  kty: Type.Literal("RSA"),
  n: documented(Type.String({ description: "An odd number of 2,048 to 4,096 bits, base64url without padding." }), {
    pattern: modulusPattern,
  }),
  e: Type.Literal("AQAB"),
};
// Loose here, exact in `parsePublicKey`, which says better what is wrong with a key.
const ownKeyInput = documented(
  Type.Object(ownKeyMembers, {
    description:
      "Bring your own key: a JWK with kty, n and e of a pair that you made; alg, use, key_ops, ext and kid may be there and are dropped. Then the service never sees the private key.",
  }),
  {
    additionalProperties: false,
    properties: { ...ownKeyMembers, ...Object.fromEntries(publicMembersDropped.map((name) => [name, {}])) },
  },
);

const ownHybridKeyMembers = {
  kty: Type.Literal("AKP"),
  alg: Type.Literal("MLKEM768-X25519"),
  // 1,216 bytes are 405 groups of four characters and two more.
  pub: documented(Type.String({ description: "1,216 bytes, base64url without padding." }), {
    pattern: "^[A-Za-z0-9_-]{1621}[AQgw]$",
  }),
};
// Loose here, exact in `parseHybridPublicKey`.
const ownHybridKeyInput = documented(
  Type.Object(ownHybridKeyMembers, {
    description:
      "The hybrid public key of the same version as `publicKey`, which must be there too: a JWK with kty, alg and pub.",
  }),
  { additionalProperties: false },
);

const wantedKeysInput = {
  publicKey: Type.Optional(ownKeyInput),
  hybridPublicKey: Type.Optional(ownHybridKeyInput),
  hybrid: Type.Optional(
    Type.Boolean({
      description: "Whether the service makes a hybrid pair as well, against quantum computers. Default: false.",
    }),
  ),
};

export const CreateFormInput = closed({
  name: nameInput,
  settings: Type.Optional(closed(createdSettingInputs)),
  ...wantedKeysInput,
  formId: Type.Optional(
    Type.String({
      maxLength: 100,
      description:
        "The id that `reserveForm` gave; only together with `publicKey`, so that a request whose answer was lost can be recognized.",
    }),
  ),
  envelope: Type.Optional(
    Type.String({
      maxLength: envelopeTextLengthMax,
      description: `${envelopeTextDescription} It is stored in the same step as the form, which needs \`publicKey\` and \`formId\` then: a form with an envelope never exists without it.`,
    }),
  ),
  keyLogEntry: Type.Optional(KeyLogEntryText),
});

/** The same members without defaults: what is omitted keeps its value. */
export const UpdateFormInput = closed({
  name: Type.Optional(nameInput),
  settings: Type.Optional(closed(changedSettingInputs)),
});

export interface RotateKeys {
  readonly publicKey?: unknown;
  readonly hybridPublicKey?: unknown;
  readonly hybrid?: boolean;
  readonly keyVersion?: number;
  readonly envelope?: string;
  readonly withoutEnvelope?: boolean;
  readonly closeKeyVersions?: KeyClosing;
  readonly keyLogEntry?: string;
}

/** No body counts as null (contract, section 4.1); a body that says null is refused by the route. */
export const RotateKeysInput = documented(
  Type.Unsafe<RotateKeys | null>({
    ...closed({
      ...wantedKeysInput,
      keyVersion: Type.Optional(
        Type.Integer({ minimum: 2, description: "The version that this makes: 409 if another rotation came between." }),
      ),
      envelope: Type.Optional(
        Type.String({
          maxLength: envelopeTextLengthMax,
          description: `${envelopeTextDescription} The next revision of the envelope in which the new version has its place, with its private key too; stored in the same step. Needs \`publicKey\`, \`keyVersion\` and \`If-Match\`, with the newest revision of that envelope or, where this begins it, of the form's last one below: versions 1 to 32 are in one, 33 to 64 in the next, and so on. With \`If-None-Match: *\` it is the form's first envelope.`,
        }),
      ),
      withoutEnvelope: Type.Optional(
        Type.Boolean({
          description:
            "Whether an owner rotates a form that has an envelope without one: its readers don't get the new key.",
        }),
      ),
      closeKeyVersions: Type.Optional(KeyClosingInput),
      keyLogEntry: Type.Optional(KeyLogEntryText),
    }),
    type: ["object", "null"],
    description: "Nothing, or the public keys of pairs of your own that the form has not had before.",
  }),
  { type: "object" },
);
