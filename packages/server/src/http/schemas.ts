import { idPattern } from "@sealpost/wire";
import { type Static, type TSchema, Type } from "typebox";
import { problemCodes } from "../problems/problem.ts";

/** An object that refuses unknown members. */
export function closed<Properties extends Record<string, TSchema>>(properties: Properties, options: object = {}) {
  return Type.Object(properties, { ...options, additionalProperties: false });
}

/** A use of a schema that stands under its `$id` in the document's components. */
export function reference<Schema extends TSchema>(schema: Schema) {
  const { $id } = schema as { $id?: string }; // TypeBox keeps options on the schema but not in its type
  if ($id === undefined) throw new Error("Only a schema with an $id can be referred to");
  return Type.Unsafe<Static<Schema>>({ $ref: `${$id}#` });
}

/** The last millisecond of ECMAScript's time. */
export const momentMax = 8_640_000_000_000_000;

export const Milliseconds = Type.Integer({ minimum: 0, description: "Milliseconds since the Unix epoch." });

export const FormIdParameters = closed({ form_id: Type.String({ description: "The form's id, `form_…`." }) });

export const CodeText = Type.String({
  description:
    "The code of the sentence, for programs that branch on it and pages that translate it. `/docs/codes` lists all; there may be more one day, and none ever goes.",
  examples: ["form_not_found", "session_stale", "quota_reached"],
});

export const ProblemBody = closed(
  {
    error: Type.Union(
      problemCodes.map((code) => Type.Literal(code)),
      { description: "A code for programs; the set is closed." },
    ),
    message: Type.String({ description: "A sentence for people." }),
    details: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Field path to what is wrong with it." }),
    ),
    detailCodes: Type.Optional(
      Type.Record(Type.String(), Type.String(), { description: "Field path to the code of what is wrong with it." }),
    ),
    retryAfter: Type.Optional(
      Type.Integer({ description: "Seconds until it is worth another try; on a 429, and on a 503 that knows it." }),
    ),
    code: CodeText,
    full: Type.Optional(
      Type.Literal(true, {
        description:
          "There is no room for this at the moment, and nothing was stored: show it to visitors so, whatever the `code`. Only on a 429 or 503.",
      }),
    ),
  },
  { $id: "Problem", description: "An error: a code for programs, a sentence for people." },
);

export const pageLimitDefault = 50;
export const pageLimitMax = 100;

export const PageQuery = closed({
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: pageLimitMax, default: pageLimitDefault, description: "How many at most." }),
  ),
  cursor: Type.Optional(Type.String({ maxLength: 200, description: "`nextCursor` of the page before." })),
});

export const NextCursor = Type.Union([Type.String(), Type.Null()], {
  description: "Hand this as `cursor` to get the next page; null on the last.",
});

/** The answers with an error that a route can give, by status, for its schema. */
export function problems<Status extends number>(...statuses: readonly Status[]) {
  return Object.fromEntries(statuses.map((status) => [status, reference(ProblemBody)]));
}

export const SubmissionIdText = Type.String({
  pattern: idPattern("submission"),
  description: "`sub_` and 26 characters (TypeID).",
  "x-message": "Must be a submission id",
});
