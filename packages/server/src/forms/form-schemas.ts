import { Type } from "typebox";
import { documented } from "../http/document.ts";
import { closed, Milliseconds, NextCursor, reference } from "../http/schemas.ts";
import { keyProofs, nameLengthMax } from "./form.ts";
import { FormHoldBody } from "./form-hold-schemas.ts";
import {
  changedSettingInputs,
  createdSettingInputs,
  listedSettingSchemas,
  publicSettingSchemas,
  settingSchemas,
} from "./setting-schemas.ts";

export const PublicKeyBody = closed(
  {
    kty: Type.Literal("RSA"),
    n: Type.String({ description: "The modulus, base64url." }),
    e: Type.String({ description: "The public exponent, base64url; always AQAB." }),
  },
  { $id: "PublicKey", description: "An RSA public key as JWK (RFC 7517), exactly these members." },
);

export const PrivateKeyBody = closed(
  {
    kty: Type.Literal("RSA"),
    n: Type.String(),
    e: Type.String(),
    d: Type.String(),
    p: Type.String(),
    q: Type.String(),
    dp: Type.String(),
    dq: Type.String(),
    qi: Type.String(),
  },
  {
    $id: "PrivateKey",
    description: "The private key as JWK. Shown in this one answer and never kept: who loses it loses the submissions.",
  },
);

export const HybridPublicKeyBody = closed(
  {
    kty: Type.Literal("AKP"),
    alg: Type.Literal("MLKEM768-X25519"),
    pub: Type.String({ description: "ML-KEM-768's and X25519's public keys, 1,216 bytes, base64url." }),
  },
  {
    $id: "HybridPublicKey",
    description: "A hybrid public key as JWK, against quantum computers (packages/wire/SPECIFICATION.md, section 2).",
  },
);

export const HybridPrivateKeyBody = closed(
  {
    kty: Type.Literal("AKP"),
    alg: Type.Literal("MLKEM768-X25519"),
    pub: Type.String(),
    priv: Type.String({ description: "The seed, 32 bytes, base64url." }),
  },
  {
    $id: "HybridPrivateKey",
    description: "The hybrid private key as JWK. Shown in this one answer and never kept, as `privateKey`.",
  },
);

const createdHybridKeys = {
  hybridPublicKey: Type.Optional(reference(HybridPublicKeyBody)),
  hybridPrivateKey: Type.Optional(reference(HybridPrivateKeyBody)),
};

export const FormSettingsBody = closed(settingSchemas, { $id: "FormSettings", description: "All settings of a form." });

const id = Type.String({ description: "The form's id." });
const name = Type.String({ description: "Unique in the account, whatever the case." });
const submissionCount = Type.Integer({ minimum: 0, description: "Submissions stored now." });
const keyProof = Type.Enum(keyProofs, {
  description:
    "Whether somebody has said that the newest private key opened something (`proveFormKey`). `unknown` for keys from before this was kept.",
});

export const FormListItemBody = closed(
  {
    id,
    name,
    createdAt: Milliseconds,
    submissionCount,
    receivedCount: Type.Integer({ minimum: 0, description: "Submissions that ever came, deleted ones too." }),
    lastReceivedAt: Type.Union([Milliseconds, Type.Null()], {
      description: "When the newest of the stored submissions came; null without any.",
    }),
    keyProof,
    publicKey: reference(PublicKeyBody),
    settings: closed(listedSettingSchemas),
    held: Type.Optional(Type.Literal(true, { description: "There, and true, while the form is under a legal hold." })),
  },
  { $id: "FormListItem", description: "A form as lists show it." },
);
export const FormListBody = closed(
  {
    forms: Type.Array(reference(FormListItemBody)),
    total: Type.Integer({ minimum: 0, description: "All forms of the account." }),
    nextCursor: NextCursor,
  },
  { $id: "FormList", description: "A page of forms, newest first." },
);
export const FormBody = closed(
  {
    id,
    name,
    createdAt: Milliseconds,
    updatedAt: Milliseconds,
    submissionCount,
    keyProof,
    publicKey: reference(PublicKeyBody),
    settings: reference(FormSettingsBody),
    embedCode: Type.String({ description: "The HTML to paste into the page that holds the form." }),
    hold: Type.Optional(reference(FormHoldBody)),
  },
  { $id: "Form", description: "A form with all its settings." },
);
export const CreatedFormBody = closed(
  {
    id,
    name,
    createdAt: Milliseconds,
    publicKey: reference(PublicKeyBody),
    privateKey: Type.Optional(reference(PrivateKeyBody)),
    ...createdHybridKeys,
    settings: reference(FormSettingsBody),
  },
  {
    $id: "CreatedForm",
    description:
      "`privateKey` is there when the service made the pair, and absent when you brought your own `publicKey`; the hybrid keys only where they were asked for.",
  },
);
export const PublicFormBody = closed(
  {
    form: closed({
      id,
      publicKey: reference(PublicKeyBody),
      keyVersion: Type.Integer({ minimum: 1 }),
      keyFingerprint: Type.String({ description: "RFC 7638 thumbprint of the public key." }),
      hybridPublicKey: Type.Optional(reference(HybridPublicKeyBody)),
      hybridKeyFingerprint: Type.Optional(Type.String({ description: "Thumbprint of the hybrid public key." })),
      settings: closed(publicSettingSchemas),
    }),
  },
  { $id: "PublicForm", description: "What a browser needs to seal a submission." },
);

export const UpdatedFormBody = closed(
  { id, name, updatedAt: Milliseconds, settings: reference(FormSettingsBody) },
  { $id: "UpdatedForm", description: "The changed form." },
);
export const RotatedFormBody = closed(
  {
    id,
    publicKey: reference(PublicKeyBody),
    privateKey: Type.Optional(reference(PrivateKeyBody)),
    ...createdHybridKeys,
    keyVersion: Type.Integer({ minimum: 2 }),
    previousKeyVersion: Type.Integer({ minimum: 1 }),
    rotatedAt: Milliseconds,
  },
  {
    $id: "RotatedForm",
    description:
      "`privateKey` is there when the service made the pair, and absent when you brought your own `publicKey`; the hybrid keys only where they were asked for.",
  },
);
export const DeletedFormBody = closed(
  {
    success: Type.Literal(true),
    deleted: closed({
      formId: id,
      submissionsDeleted: Type.Integer({ minimum: 0, description: "Submissions that the form had, exactly." }),
    }),
  },
  { $id: "DeletedForm", description: "The form is gone, with this many submissions." },
);
export const FormKeyBody = closed(
  {
    version: Type.Integer({ minimum: 1 }),
    publicKey: reference(PublicKeyBody),
    fingerprint: Type.String({ description: "RFC 7638 thumbprint (SHA-256, base64url)." }),
    hybridPublicKey: Type.Optional(reference(HybridPublicKeyBody)),
    hybridFingerprint: Type.Optional(Type.String({ description: "Thumbprint of the hybrid public key." })),
    createdAt: Milliseconds,
    madeBy: Type.Union([Type.Literal("owner"), Type.Literal("service"), Type.Null()], {
      description: "Who made the pair; null for one from before this was kept.",
    }),
    provedAt: Type.Union([Milliseconds, Type.Null()], {
      description: "When somebody first said that the private key opened something; null until then.",
    }),
  },
  { $id: "FormKey", description: "One version of the form's public key." },
);
export const FormKeysBody = closed(
  {
    keys: Type.Array(reference(FormKeyBody), { description: "Every version, newest first." }),
  },
  { $id: "FormKeys", description: "Every version of the form's public key." },
);

/** The characters that `trim` removes (ECMA-262, WhiteSpace and LineTerminator), and those that a name may have (`parseName`). */
const space = "[\\t-\\r \\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";
const inName = "[^\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029]";
const atEdge = "[^\\u0000- \\u007f-\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]";
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
});

/** The same members without defaults: what is omitted keeps its value. */
export const UpdateFormInput = closed({
  name: Type.Optional(nameInput),
  settings: Type.Optional(closed(changedSettingInputs)),
});

/** No body counts as null (contract, section 4.1); a body that says null is refused by the route. */
export const RotateKeysInput = documented(
  Type.Unsafe<{ readonly publicKey?: unknown; readonly hybridPublicKey?: unknown; readonly hybrid?: boolean } | null>({
    ...closed(wantedKeysInput),
    type: ["object", "null"],
    description: "Nothing, or the public keys of pairs of your own that the form has not had before.",
  }),
  { type: "object" },
);
