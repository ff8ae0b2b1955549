import { Type } from "typebox";
import { closed, Milliseconds, momentMax, NextCursor, reference, SubmissionIdText } from "../http/schemas.ts";
import { SubmissionBody, submissionIdsMax } from "./submission-schemas.ts";

const success = Type.Literal(true);
const ids = Type.Array(SubmissionIdText, {
  minItems: 1,
  maxItems: submissionIdsMax,
  description: "Those that are not there are passed over.",
});
const hasMore = Type.Boolean({
  description: "True when there are more than one request moves: send it again. Always false with `ids`.",
});

/** One type with two optional members instead of a union, so that one error has one message; the route wants exactly one. */
export const BinSubmissionsInput = closed(
  {
    ids: Type.Optional(ids),
    before: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: momentMax,
        description: "All that were received before this, in milliseconds since the Unix epoch.",
      }),
    ),
  },
  { minProperties: 1, maxProperties: 1, description: "Either `ids` or `before`." },
);

export const RestoreSubmissionsInput = closed(
  { ids: Type.Optional(ids), all: Type.Optional(Type.Literal(true, { description: "All that is in the bin." })) },
  { minProperties: 1, maxProperties: 1, description: "Either `ids` or `all`." },
);

export const BinnedSubmissionBody = closed(
  {
    ...SubmissionBody.properties,
    binnedAt: Milliseconds,
    purgeAt: Type.Integer({
      minimum: 0,
      description:
        "When it is deleted for good, in milliseconds since the Unix epoch: by the form's setting `binDays`, or before that by its retention.",
    }),
  },
  { $id: "BinnedSubmission" },
);

export const BinBody = closed(
  {
    submissions: Type.Array(reference(BinnedSubmissionBody)),
    total: Type.Integer({ minimum: 0 }),
    nextCursor: NextCursor,
  },
  { $id: "Bin" },
);

export const BinnedSubmissionsBody = closed(
  {
    success,
    binned: closed({
      submissionsBinned: Type.Integer({ minimum: 0, description: "How many were moved to the bin, exactly." }),
      submissionsDeleted: Type.Integer({
        minimum: 0,
        description: "How many were deleted instead, because the form's `binDays` is 0.",
      }),
      hasMore,
    }),
  },
  { $id: "BinnedSubmissions" },
);

export const RestoredSubmissionsBody = closed(
  {
    success,
    restored: closed({
      submissionsRestored: Type.Integer({ minimum: 0, description: "How many there were, exactly." }),
      hasMore,
    }),
  },
  { $id: "RestoredSubmissions" },
);
