import { type Changes, changeList as changeListOf, NoPlaceError } from "@sealpost/sdk/envelopes";
import { Explained } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";
import type { EnvelopeContext } from "./context.ts";
import { type CheckedList, loadCheckedList } from "./load-list.ts";

/**
 * Adds an entry to the organization's list, or two at once, signed by the person, and gives the list as it was read back. `toChange` says what to change in the
 * list of the moment, or nothing; it is asked again where somebody else was faster. Rejects with a `RefusalError` where the list's rules do not allow it.
 */
export async function changeList(
  context: EnvelopeContext,
  toChange: (list: CheckedList) => Changes | undefined,
): Promise<CheckedList> {
  const { keyAgent, api } = context;
  const loadList = () => loadCheckedList(context);
  try {
    return await changeListOf({ keyAgent, api, loadList, findSignerId: ({ own }) => own.id }, toChange);
  } catch (error) {
    throw error instanceof NoPlaceError ? new Explained(text.readers.noPlace) : error;
  }
}
