import type { FormKey } from "@sealpost/envelope";
import type { StoredEnvelope } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../../packages/dashboard/src/envelopes/context.ts";
import type { CheckedList } from "../../packages/dashboard/src/envelopes/load-list.ts";
import type { FormOpening } from "../../packages/dashboard/src/envelopes/open-form.ts";
import { findImportReaders, importKeys } from "../../packages/dashboard/src/envelopes/store-envelope.ts";

/** Puts keys into the envelopes of a form, as a person does who agrees to the readers that the page names. */
export function importAsShown(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  keys: readonly FormKey[],
  opening: Pick<FormOpening, "kind"> & Partial<Pick<Extract<FormOpening, { kind: "opened" }>, "envelopes">>,
): Promise<readonly StoredEnvelope[]> {
  const { envelopes = [] } = opening;
  const shown = findImportReaders(list, keys, envelopes);
  return importKeys(context, list, formId, keys, envelopes, "Vote", shown);
}
