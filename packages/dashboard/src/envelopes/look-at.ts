import { openForm } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import { loadReadableList } from "./load-list.ts";
import type { OpenedForm, OpenedFormEnvelope } from "./open-form.ts";

/**
 * Envelopes of which this browser has seen nothing, and whose newest revision is by somebody who writes no longer: with the server, they can have written it
 * since, with readers and keys as they like. They open submissions, and nothing follows them until a person has said that they are right.
 */
export function findToLookAt({
  refused,
  forReading,
}: Pick<OpenedForm, "refused" | "forReading">): readonly OpenedFormEnvelope[] {
  return refused
    .filter(({ reason }) => reason === "former_writer")
    .flatMap((one) => forReading.find(({ firstVersion }) => firstVersion === one.firstVersion) ?? []);
}

/** The person has said that this very revision is right: it is remembered here. Whether it was still the newest; another one is not remembered. */
export async function sayIsRight(
  context: EnvelopeContext,
  formId: FormId,
  { head: { firstVersion, hash } }: Pick<OpenedFormEnvelope, "head">,
): Promise<boolean> {
  const { organizationId } = context;
  const loadList = () => loadReadableList(context);
  const opened = await openForm(context, { formId, organizationId, loadList, lookedAt: hash });
  if (opened.kind !== "opened") return false;
  return opened.envelopes.some(({ head }) => head.firstVersion === firstVersion && head.hash === hash);
}
