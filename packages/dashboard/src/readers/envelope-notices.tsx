import { useEnvelopeContext } from "../personal-key/use-envelope-context.ts";
import { OpeningNotices } from "./refusal-notice.tsx";
import { useFormEnvelope } from "./use-form-envelope.ts";

/** Above a form that is open: what its envelopes add to its keys, and what is wrong with them. */
export default function EnvelopeNotices({ formId }: { readonly formId: string }) {
  const context = useEnvelopeContext();
  const { data } = useFormEnvelope(formId, context);
  // Who is not in the list yet reads with a key file as before: nothing is wrong.
  const isWorth = data?.kind === "opened" || (data?.kind === "list" && (data.isMoved || data.list.kind === "refused"));
  return context && data && isWorth ? <OpeningNotices opening={data} /> : null;
}
