import { Type } from "typebox";
import { closed, Milliseconds, NextCursor, reference, SubmissionIdText } from "../http/schemas.ts";

const base64 = (description: string) => Type.String({ contentEncoding: "base64", description });

export const SealedPayloadBody = closed(
  {
    encrypted: Type.Literal(true),
    version: Type.Literal("sp1"),
    data: base64("Base64 of the AES-256-GCM ciphertext and its 16-byte tag."),
    key: base64("Base64 of the content key, sealed with RSA-OAEP-SHA-256."),
    iv: base64("Base64 of the 12-byte initialization vector."),
  },
  {
    $id: "SealedPayload",
    description: "Sealed in the browser; only the form's private key opens it (packages/wire/SPECIFICATION.md).",
  },
);

export const PlainPayloadBody = closed(
  {
    encrypted: Type.Literal(false),
    version: Type.Literal("plain1"),
    fields: Type.Record(Type.String(), Type.Unknown(), { description: "Field name to value." }),
  },
  { $id: "PlainPayload", description: "Only for forms whose setting `encryption` is false." },
);

export const PayloadBody = Type.Union([reference(SealedPayloadBody), reference(PlainPayloadBody)], { $id: "Payload" });

export const SubmissionBody = closed(
  {
    id: SubmissionIdText,
    formId: Type.String(),
    payload: reference(PayloadBody),
    keyVersion: Type.Integer({ minimum: 1 }),
    timestamp: Type.Integer({
      minimum: 0,
      description: "When the visitor's browser says it was made, in milliseconds; never used for order.",
    }),
    receivedAt: Milliseconds,
  },
  { $id: "Submission" },
);

export const SubmissionListBody = closed(
  { submissions: Type.Array(reference(SubmissionBody)), total: Type.Integer({ minimum: 0 }), nextCursor: NextCursor },
  { $id: "SubmissionList" },
);

/** Documents the body; `parsePostedSubmission` checks it, because it says more exactly what is wrong. */
export const PostedSubmissionInput = closed({
  id: Type.Optional(SubmissionIdText),
  payload: reference(PayloadBody),
  keyVersion: Type.Optional(Type.Integer({ minimum: 1 })),
  timestamp: Type.Optional(Milliseconds),
});

export const AcceptedSubmissionBody = closed(
  {
    success: Type.Literal(true),
    submission: closed({ id: SubmissionIdText, timestamp: Milliseconds, receivedAt: Milliseconds }),
  },
  { $id: "AcceptedSubmission" },
);
