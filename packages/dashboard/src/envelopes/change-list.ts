import { type Change, RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { toListToCheck } from "@sealpost/sdk/envelopes";
import type { EnvelopeContext } from "./context.ts";
import { type CheckedList, loadCheckedList } from "./load-list.ts";

const triesMax = 8;

/**
 * Adds an entry to the organization's list, signed by the person, and gives the list as it was read back. `toChange` says what to change in the
 * list of the moment, or nothing; it is asked again where somebody else was faster. Rejects with a `RefusalError` where the list's rules do not allow it.
 */
export async function changeList(
  context: EnvelopeContext,
  toChange: (list: CheckedList) => Change | undefined,
): Promise<CheckedList> {
  const { organizationId, personId, keyAgent, api } = context;
  for (let tries = 1; ; tries++) {
    const list = await loadCheckedList(context);
    const change = toChange(list);
    if (change === undefined) return list;
    const signed = await keyAgent.signEntry({
      organizationId,
      list: toListToCheck(list),
      change,
      signerId: personId,
    });
    if (signed instanceof RefusalError) throw signed;
    try {
      await api.addEntry(signed, list.list.head);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || tries === triesMax) throw error;
    }
  }
}
