import { type Change, findPlacesLeft, type ListHead, RefusalError, type SignedEntry } from "@sealpost/envelope";
import { toListToCheck } from "./check-list.ts";
import type { KnownList } from "./envelope-client.ts";
import type { KeyAgent } from "./key-agent.ts";
import { untilFirst } from "./whole-form.ts";

/** A person who signs entries of an organization's list. */
export interface ListWriter<List extends KnownList> {
  readonly keyAgent: Pick<KeyAgent, "signEntry">;
  readonly api: { addEntry(entry: SignedEntry, head: ListHead): Promise<unknown> };
  /** The list to write by. */
  loadList(): Promise<List>;
  /** The id under which the person signs. */
  findSignerId(list: List): string;
}

/** An entry that is refused for its place: then the cause is nobody's role, and an owner signs the next one. */
export class NoPlaceError extends Error {
  override readonly name = "NoPlaceError";

  constructor() {
    super("An owner has to sign the next entry of the list of members");
  }
}

/**
 * Adds an entry to the list of members, signed by the person, unless there is nothing to change, and gives the list as it was read back. `toChange` says what
 * to change in the list of the moment; it is asked again where somebody else was faster. Rejects with a `RefusalError`, or a `NoPlaceError`, where the list's rules do not allow it.
 */
export function changeList<List extends KnownList>(
  { keyAgent, api, loadList, findSignerId }: ListWriter<List>,
  toChange: (list: List) => Change | undefined,
): Promise<List> {
  return untilFirst(async () => {
    const list = await loadList();
    const change = toChange(list);
    if (change === undefined) return list;
    const { organizationId, head } = list.list;
    const signed = await keyAgent.signEntry({
      organizationId,
      list: toListToCheck(list),
      change,
      signerId: findSignerId(list),
    });
    if (signed instanceof RefusalError)
      throw signed.reason === "not_allowed" && findPlacesLeft(list.list) <= 0 ? new NoPlaceError() : signed;
    await api.addEntry(signed, head);
    return loadList();
  });
}
