import {
  type AnsweredSight,
  acceptFirstSight,
  describeFirstSights,
  type FirstSight,
  findFirstSights,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import { loadReadableList, type ReadableList } from "./load-list.ts";
import type { OpenedForm } from "./open-form.ts";

/** The first sights of a form that a person has to look at, with what they are shown of each. */
export function findToLookAt(opened: OpenedForm): readonly FirstSight[] {
  const found = findFirstSights(opened);
  if (found.length === 0) return [];
  const describe = describeFirstSights(opened.list.list);
  return found.map((envelope) => ({ envelope, shown: describe(envelope) }));
}

/** The person has said that this very revision is right, as it was shown. `known`: the list that was loaded since. */
export function sayIsRight(
  context: EnvelopeContext,
  formId: FormId,
  sight: FirstSight,
  known?: ReadableList,
): Promise<AnsweredSight<ReadableList>> {
  const { organizationId } = context;
  const loadList = () => loadReadableList(context);
  return acceptFirstSight(context, { formId, organizationId, loadList, known }, sight);
}
