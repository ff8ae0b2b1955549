import type { RefusedEnvelope } from "@sealpost/envelope";
import type { NotUsed } from "./bringable.ts";
import type { EnvelopeOpener, KnownList } from "./envelope-client.ts";
import { type FormToOpen, type OpenedEnvelope, type OpenedEnvelopes, openForm } from "./open-form.ts";

/** An envelope that is refused for nothing but what is remembered here of keys of which the form's key log names other parts, and its revision, which has these. */
export interface DeniedHere {
  readonly firstVersion: number;
  readonly denied: NonNullable<RefusedEnvelope["denied"]>;
  readonly envelope: OpenedEnvelope;
}

/** The envelopes of a form about which a person is asked whether its key log decides. */
export function findDeniedHere({
  refused,
  forReading,
}: Pick<OpenedEnvelopes, "forReading"> & {
  readonly refused: readonly (RefusedEnvelope | NotUsed)[];
}): readonly DeniedHere[] {
  return refused.flatMap(({ firstVersion, denied }) => {
    const envelope = forReading.find((one) => one.firstVersion === firstVersion);
    return denied && envelope ? [{ firstVersion, denied, envelope }] : [];
  });
}

/** A person has said that the key log decides: what it denies is forgotten here, and nothing else. Why the envelope is refused all the same; `undefined` where it opens. */
export async function goByKeyLog<List extends KnownList>(
  client: EnvelopeOpener,
  form: Omit<FormToOpen<List>, "lookedAt">,
  { firstVersion, denied }: Pick<DeniedHere, "firstVersion" | "denied">,
): Promise<RefusedEnvelope["reason"] | "moved_form" | undefined> {
  await client.heads.forgetDenied(form.formId, firstVersion, denied);
  const opened = await openForm(client, form);
  if (opened.kind === "none") return "hidden_envelope";
  if (opened.kind === "moved_form") return "moved_form";
  return opened.refused.find((one) => one.firstVersion === firstVersion)?.reason;
}
