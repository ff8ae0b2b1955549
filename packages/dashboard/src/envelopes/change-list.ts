import { type Change, findListRoom, RefusalError } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { toListToCheck } from "@sealpost/sdk/envelopes";
import { Explained } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";
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
    if (signed instanceof RefusalError) throw signed.reason === "not_allowed" ? (findFullness(list) ?? signed) : signed;
    try {
      await api.addEntry(signed, list.list.head);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || tries === triesMax) throw error;
    }
  }
}

/** Only where the list is nearly full, an entry may be refused for its place: then the cause is nobody's role, and there is something to do. */
function findFullness({ list }: CheckedList): Explained | undefined {
  return findListRoom(list).stage === "open" ? undefined : new Explained(text.readers.part.noRoom);
}
