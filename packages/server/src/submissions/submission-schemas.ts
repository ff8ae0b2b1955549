import { Type } from "typebox";
import {
  closed,
  FormIdParameters,
  Milliseconds,
  momentMax,
  NextCursor,
  reference,
  SubmissionIdText,
} from "../http/schemas.ts";
import { keyVersionMax } from "./submission.ts";

const digit = "[A-Za-z0-9+/]";
/** Base64 as `decodeStrictly` takes it: padded, and no bits that belong to no byte. */
const endings = { one: `${digit}[AQgw]==`, two: `${digit}{2}[AEIMQUYcgkosw048]=` } as const;
const base64 = (description: string, pattern: string) =>
  Type.String({ contentEncoding: "base64", description, pattern: `^${pattern}$` });

const data = base64(
  "Base64 of the AES-256-GCM ciphertext and its 16-byte tag.",
  `(?:${digit}{4}){5}(?:${endings.two}|(?:${digit}{4})+(?:${endings.one}|${endings.two})?)`,
);
const committedData = base64(
  "Base64 of the 32-byte commitment, the AES-256-GCM ciphertext and its 16-byte tag.",
  `(?:${digit}{4}){16}(?:${endings.one}|${endings.two}|(?:${digit}{4})+(?:${endings.one}|${endings.two})?)`,
);
const iv = base64("Base64 of the 12-byte initialization vector.", `${digit}{16}`);

export const SealedPayloadBody = closed(
  {
    encrypted: Type.Literal(true),
    version: Type.Literal("sp1"),
    data,
    key: base64(
      "Base64 of the content key, sealed with RSA-OAEP-SHA-256: as many bytes as the form's modulus.",
      `(?:${digit}{4}){85}(?:${endings.one}|(?:${digit}{4}){0,85}${endings.two}|(?:${digit}{4}){1,85}(?:${endings.one})?)`,
    ),
    iv,
  },
  {
    $id: "SealedPayload",
    description: "Sealed in the browser; only the form's private key opens it (packages/wire/SPECIFICATION.md).",
  },
);

export const HybridPayloadBody = closed(
  {
    encrypted: Type.Literal(true),
    version: Type.Literal("sp2"),
    data: committedData,
    key: base64(
      "Base64 of the content key, sealed to the hybrid key of the version: 1,168 bytes.",
      `(?:${digit}{4}){389}${endings.one}`,
    ),
    iv,
  },
  {
    $id: "HybridPayload",
    description:
      "Sealed in the browser against quantum computers too; only for key versions with a hybrid key (packages/wire/SPECIFICATION.md).",
  },
);

export const PlainPayloadBody = closed(
  {
    encrypted: Type.Literal(false),
    version: Type.Literal("plain1"),
    fields: Type.Record(Type.String(), Type.Unknown(), {
      description: "Field name to value, at most 32 levels deep, with at most 1,000 members in all.",
      maxProperties: 1000,
      propertyNames: { maxLength: 256 },
    }),
  },
  { $id: "PlainPayload", description: "Only for forms whose setting `encryption` is false." },
);

export const PayloadBody = Type.Union(
  [reference(SealedPayloadBody), reference(HybridPayloadBody), reference(PlainPayloadBody)],
  {
    $id: "Payload",
    description: "What was submitted: sealed, or plain.",
  },
);

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
  { $id: "Submission", description: "A stored submission." },
);

export const SubmissionListBody = closed(
  { submissions: Type.Array(reference(SubmissionBody)), total: Type.Integer({ minimum: 0 }), nextCursor: NextCursor },
  { $id: "SubmissionList", description: "A page of submissions, newest first." },
);

const keyVersionInput = Type.Integer({
  minimum: 1,
  maximum: keyVersionMax,
  description: "One of the form's key versions; for plain ones the newest when it is left out.",
});
const timestampInput = Type.Integer({
  minimum: 0,
  maximum: momentMax,
  description: "When it was made, in milliseconds since the Unix epoch; now when it is left out.",
});

/** Documents the body; `parsePostedSubmission` checks it, because it says more exactly what is wrong. */
export const PostedSubmissionInput = Type.Union([
  closed({
    id: SubmissionIdText,
    payload: reference(SealedPayloadBody),
    keyVersion: keyVersionInput,
    timestamp: Type.Optional(timestampInput),
  }),
  closed({
    id: SubmissionIdText,
    payload: reference(HybridPayloadBody),
    keyVersion: keyVersionInput,
    timestamp: Type.Optional(timestampInput),
  }),
  closed({
    id: Type.Optional(SubmissionIdText),
    payload: reference(PlainPayloadBody),
    keyVersion: Type.Optional(keyVersionInput),
    timestamp: Type.Optional(timestampInput),
  }),
]);

export const AcceptedSubmissionBody = closed(
  {
    success: Type.Literal(true),
    submission: closed({ id: SubmissionIdText, timestamp: Milliseconds, receivedAt: Milliseconds }),
  },
  { $id: "AcceptedSubmission", description: "The submission is stored, on the disk, and counted." },
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

/** The most submissions that one request may name. */
export const submissionIdsMax = 1000;

export const DeleteSubmissionsInput = closed({
  ids: Type.Array(SubmissionIdText, {
    minItems: 1,
    maxItems: submissionIdsMax,
    description: "Those that the form does not have are passed over.",
  }),
  onlyInBin: Type.Optional(
    Type.Literal(true, {
      description:
        "Deletes only what is in the form's bin. What was restored meanwhile is left, and counted in the answer.",
    }),
  ),
});

const success = Type.Literal(true);

export const DeletedSubmissionBody = closed(
  { success, deleted: closed({ submissionId: SubmissionIdText }) },
  { $id: "DeletedSubmission", description: "The submission is gone." },
);

export const DeletedSubmissionsBody = closed(
  {
    success,
    deleted: closed({
      submissionsDeleted: Type.Integer({ minimum: 0, description: "How many there were, exactly." }),
      submissionsLeft: Type.Optional(
        Type.Integer({
          minimum: 0,
          description:
            "Only with `onlyInBin`: how many of the ids are not in the bin but among the form's submissions, and were left.",
        }),
      ),
    }),
  },
  { $id: "DeletedSubmissions", description: "That many submissions are gone." },
);
