import { Type } from "typebox";
import { closed, Milliseconds, NextCursor, PageQuery, pageLimitMax, reference } from "../http/schemas.ts";
import { keyProofs } from "./form.ts";
import { FormHoldBody } from "./form-hold-schemas.ts";
import { refusalCauses } from "./refusal-causes.ts";
import { listedSettingSchemas, publicSettingSchemas, settingSchemas } from "./setting-schemas.ts";

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
  description: "Whether somebody has said that the newest private key opened something (`proveFormKey`).",
});

export const RefusedVisitorsBody = closed(
  {
    cause: Type.Enum(refusalCauses, {
      description:
        "`old_key`: the page's snippet pins a former key (`reportRefusedKey`). `origin`: a page of an origin that `allowedOrigins` does not name. `unsealed`: answers that were not sealed, by a form without script, say, for a form that takes sealed ones alone. `too_large`: more bytes than `submissionBytesMax`, or than the service takes. `hourly_limit`: more than `submissionsPerHour`. `form_markup`: an HTML form with files, without a field that counts, with too many fields, or of another method or encoding. `trapped`: an HTML form from a browser with the field `_gotcha` filled in, which has to stay empty. A newer service may have more.",
    }),
    since: Type.Integer({
      minimum: 0,
      description: "When it was first seen with the settings, or the key, that the form has now.",
    }),
    lastAt: Type.Integer({ minimum: 0, description: "When it was seen last." }),
  },
  {
    $id: "RefusedVisitors",
    description:
      "Requests of visitors that the form refused for one cause, in milliseconds since the Unix epoch. Anybody can make such a request: it says what was seen, and not that a page of yours is wrong.",
  },
);

const refusedVisitors = Type.Optional(
  Type.Array(reference(RefusedVisitorsBody), {
    description:
      "There while visitors are refused, one for each cause; not there once none was seen for a day, nor right after a start of the service.",
  }),
);

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
    refusedVisitors,
    held: Type.Optional(Type.Literal(true, { description: "There, and true, while the form is under a legal hold." })),
  },
  { $id: "FormListItem", description: "A form as lists show it." },
);
/** Clients of the contract know no pages: without `limit` they would miss older forms in silence (contract, section 4.5). */
export const formsWithoutLimit = 1000;

export const FormListQuery = closed({
  ...PageQuery.properties,
  limit: Type.Optional(
    Type.Integer({
      ...{ minimum: 1, maximum: pageLimitMax },
      description: `How many at most; up to ${formsWithoutLimit} where it is left out.`,
    }),
  ),
});

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
    embedCode: Type.String({
      description:
        "The HTML to paste into the page that holds the form. It names no key: to pin one, name it in the script's `data-sealpost-options` and in the call (`/docs/embed`).",
    }),
    refusedVisitors,
    hold: Type.Optional(reference(FormHoldBody)),
    webhookSecretKnownSince: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "There while an organization that had the form before knows the secret that signs its webhooks: since when, in milliseconds since the Unix epoch. A rotation ends it, and so does another webhook address, for which no secret signs that such an organization knows.",
      }),
    ),
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
    madeBy: Type.Union([Type.Literal("owner"), Type.Literal("service")], { description: "Who made the pair." }),
    provedAt: Type.Union([Milliseconds, Type.Null()], {
      description: "When somebody first said that the private key opened something; null until then.",
    }),
    closesAt: Type.Optional(
      Type.Integer({
        minimum: 0,
        description:
          "From when on nothing that is sealed to this version is taken, in milliseconds since the Unix epoch; not there while it is taken without end (`closeFormKeys`).",
      }),
    ),
  },
  { $id: "FormKey", description: "One version of the form's public key." },
);
export const FormKeysBody = closed(
  {
    keys: Type.Array(reference(FormKeyBody), { description: "Every version, newest first." }),
  },
  { $id: "FormKeys", description: "Every version of the form's public key." },
);
