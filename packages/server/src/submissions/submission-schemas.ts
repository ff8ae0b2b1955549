import { Type } from "typebox";
import { closed, FormIdParameters, Milliseconds, NextCursor, reference, SubmissionIdText } from "../http/schemas.ts";

/** The last millisecond of ECMAScript's time. */
const momentMax = 8_640_000_000_000_000;

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

export const SubmissionParameters = closed({
  ...FormIdParameters.properties,
  submission_id: Type.String({ description: "The submission's id, `sub_…`." }),
});

/** A moment in a query: bounded by what a date can be, so that no database meets a number that it can't hold. */
export const moment = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 0, maximum: momentMax, description }));

export const ReceivedRange = {
  from: moment("Received at or after, in milliseconds since the Unix epoch."),
  to: moment("Received at or before, in milliseconds since the Unix epoch."),
};

const submissionIdsMax = 1000;

export const DeleteSubmissionsInput = closed({
  ids: Type.Array(SubmissionIdText, {
    minItems: 1,
    maxItems: submissionIdsMax,
    description: "Those that the form does not have are passed over.",
  }),
});

const success = Type.Literal(true);

export const DeletedSubmissionBody = closed(
  { success, deleted: closed({ submissionId: SubmissionIdText }) },
  { $id: "DeletedSubmission" },
);

export const DeletedSubmissionsBody = closed(
  {
    success,
    deleted: closed({ submissionsDeleted: Type.Integer({ minimum: 0, description: "How many there were, exactly." }) }),
  },
  { $id: "DeletedSubmissions" },
);
