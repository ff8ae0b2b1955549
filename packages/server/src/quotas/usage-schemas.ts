import { Type } from "typebox";
import { closed, reference } from "../http/schemas.ts";

const Bytes = Type.Integer({ minimum: 0, description: "Bytes." });
const BytesMax = Type.Unsafe<number | null>({
  type: ["integer", "null"],
  minimum: 0,
  description: "Bytes; null where nothing limits them.",
});

export const FormUsageBody = closed(
  {
    id: Type.String({ description: "`form_…`." }),
    name: Type.String(),
    bytes: Bytes,
    submissionCount: Type.Integer({ minimum: 0 }),
  },
  { $id: "FormUsage", description: "What the submissions of a form take." },
);

const SharingBody = closed(
  {
    id: Type.String({ description: "`acc_…`." }),
    name: Type.String(),
    bytes: Bytes,
    otherBytes: Bytes,
  },
  { description: "An organization that you own." },
);

const SharedUsageBody = closed({
  countsFor: Type.Union([Type.Literal("you"), Type.Literal("owner"), Type.Literal("former_owner")], {
    description:
      "The person for whom it counts. `owner`: one of its owners, another one where a session asks. `former_owner`: somebody who is no owner any more; it has a `bytesMax` of its own then, until an owner takes over its usage.",
  }),
  name: Type.Union([Type.String(), Type.Null()], {
    description:
      "That person's, for owners with a session; null for others, and where that person is no member any more.",
  }),
  percent: Type.Integer({ minimum: 0, description: "Of `bytesMax`, by all organizations that share it." }),
  otherPercent: Type.Integer({
    minimum: 0,
    description: "Of the quarter for everything but submissions, by all that share it.",
  }),
  organizations: Type.Array(SharingBody, {
    description:
      "Those that share it and that you own, for owners with a session; the fullest first. Empty for `former_owner`, which shares it with none.",
  }),
});

export const UsageBody = closed(
  {
    usage: closed({
      bytes: Bytes,
      otherBytes: Bytes,
      logBytes: Bytes,
      bytesMax: BytesMax,
      formBytesMax: BytesMax,
      forms: Type.Array(reference(FormUsageBody), { description: "The 100 fullest forms, the fullest first." }),
      shared: Type.Union([SharedUsageBody, Type.Null()], {
        description:
          "With which organizations it shares `bytesMax`; null where nothing limits it, and where its plan gives it room of its own.",
      }),
    }),
  },
  { $id: "Usage", description: "What an account stores, and may store." },
);
