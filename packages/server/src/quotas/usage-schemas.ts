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

export const UsageBody = closed(
  {
    usage: closed({
      bytes: Bytes,
      otherBytes: Bytes,
      bytesMax: BytesMax,
      formBytesMax: BytesMax,
      forms: Type.Array(reference(FormUsageBody), { description: "The 100 fullest forms, the fullest first." }),
    }),
  },
  { $id: "Usage", description: "What an account stores, and may store." },
);
