import { findShown, type StoredEnvelope } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import type { CheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import { rotateWithEnvelope } from "../../packages/dashboard/src/envelopes/store-envelope.ts";

/** Rotates for the readers of what is open, as a person does who agrees to the names that the page shows. */
export function rotateAsShown(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  rotation: Parameters<typeof rotateWithEnvelope>[3],
  parts: Omit<Parameters<typeof rotateWithEnvelope>[4], "shown">,
): Promise<StoredEnvelope> {
  return rotateWithEnvelope(context, list, formId, rotation, {
    ...parts,
    shown: findShown(list, parts.previous, [parts.previous]),
  });
}
