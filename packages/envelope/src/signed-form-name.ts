import type { FormId } from "@sealpost/wire";
import type { EnvelopeHead } from "./envelope-checks.ts";
import { fitName } from "./member.ts";
import { findNewestEnvelope } from "./next-revision.ts";

/** The form's name in the envelope with the newest published key, or in the newest one if no key is published; `undefined` without an envelope, or if it has the form's id for a name. */
export function findSignedName(
  envelopes: readonly { readonly head: EnvelopeHead; readonly formName: string }[],
): string | undefined {
  const published = envelopes.filter(({ head }) => head.keys.some(({ isPublished }) => isPublished));
  const newest = findNewestEnvelope(published.length > 0 ? published : envelopes);
  return newest?.formName === newest?.head.formId ? undefined : newest?.formName;
}

/** A service's name for a form as an envelope would have it. */
export function asFormName(formId: FormId, name: string): string {
  return fitName(name) || formId;
}
