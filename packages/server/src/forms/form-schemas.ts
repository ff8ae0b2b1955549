import { type Static, Type } from "typebox";
import { closed, Milliseconds, NextCursor, reference } from "../http/schemas.ts";
import { nameLengthMax, originsMax } from "./form.ts";

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

const encryption = Type.Boolean({ description: "Accept only submissions that were sealed in the browser." });
const piiStrip = Type.Boolean({ description: "Strip common patterns of personal data before sealing." });
const webhookUrl = Type.Union([Type.String(), Type.Null()], {
  description: "Where events are posted, an HTTPS URL; null for nowhere.",
});
const allowedOrigins = Type.Array(Type.String(), {
  description: "Origins whose pages may submit: `*`, exact ones, or `https://*.example.com`.",
});

export const FormSettingsBody = closed({ encryption, piiStrip, webhookUrl, allowedOrigins }, { $id: "FormSettings" });

const id = Type.String({ description: "The form's id." });
const name = Type.String({ description: "Unique in the account, whatever the case." });
const submissionCount = Type.Integer({ minimum: 0, description: "Submissions stored now." });

export const FormListItemBody = closed(
  {
    id,
    name,
    createdAt: Milliseconds,
    submissionCount,
    publicKey: reference(PublicKeyBody),
    settings: closed({ encryption, piiStrip }),
  },
  { $id: "FormListItem" },
);
export const FormListBody = closed(
  {
    forms: Type.Array(reference(FormListItemBody)),
    total: Type.Integer({ minimum: 0, description: "All forms of the account." }),
    nextCursor: NextCursor,
  },
  { $id: "FormList" },
);
export const FormBody = closed(
  {
    id,
    name,
    createdAt: Milliseconds,
    updatedAt: Milliseconds,
    submissionCount,
    publicKey: reference(PublicKeyBody),
    settings: reference(FormSettingsBody),
    embedCode: Type.String({ description: "The HTML to paste into the page that holds the form." }),
  },
  { $id: "Form" },
);
export const CreatedFormBody = closed(
  {
    id,
    name,
    createdAt: Milliseconds,
    publicKey: reference(PublicKeyBody),
    privateKey: Type.Optional(reference(PrivateKeyBody)),
    settings: reference(FormSettingsBody),
  },
  {
    $id: "CreatedForm",
    description:
      "`privateKey` is there when the service made the pair, and absent when you brought your own `publicKey`.",
  },
);
export const PublicFormBody = closed(
  {
    form: closed({
      id,
      publicKey: reference(PublicKeyBody),
      keyVersion: Type.Integer({ minimum: 1 }),
      keyFingerprint: Type.String({ description: "RFC 7638 thumbprint of the public key." }),
      settings: closed({ encryption, piiStrip }),
    }),
  },
  { $id: "PublicForm" },
);

/** Settings as a caller writes them; every member is optional and keeps its default or its value when omitted. */
const SettingsInput = closed({
  encryption: Type.Optional(Type.Boolean({ default: true })),
  piiStrip: Type.Optional(Type.Boolean({ default: false })),
  webhookUrl: Type.Optional(Type.Union([Type.String(), Type.Null()], { "x-message": "Must be a valid HTTPS URL" })),
  allowedOrigins: Type.Optional(
    Type.Array(Type.String({ maxLength: 300 }), { minItems: 1, maxItems: originsMax, default: ["*"] }),
  ),
});
export type SettingsInput = Static<typeof SettingsInput>;

const nameInput = Type.String({ description: `1 to ${nameLengthMax} characters after trimming.` });

export const CreateFormInput = closed({
  name: nameInput,
  settings: Type.Optional(SettingsInput),
  // Loose here, exact in `parsePublicKey`, which says better what is wrong with a key.
  publicKey: Type.Optional(
    Type.Object(
      { kty: Type.Literal("RSA"), n: Type.String(), e: Type.Literal("AQAB") },
      {
        description:
          "Bring your own key: a JWK with exactly kty, n and e of a pair that you made. Then the service never sees the private key.",
      },
    ),
  ),
});
