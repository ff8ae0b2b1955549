import { type Change, findPlacesLeft, type ListHead, RefusalError, type SignedEntry } from "@sealpost/envelope";
import { toListToCheck } from "./check-list.ts";
import type { KnownList } from "./envelope-client.ts";
import type { KeyAgent, ListToCheck } from "./key-agent.ts";
import { listAfter } from "./list-after.ts";
import { untilFirst } from "./whole-form.ts";

/** A person who signs entries of an organization's list. */
export interface ListWriter<List extends KnownList> {
  readonly keyAgent: Pick<KeyAgent, "signEntry">;
  readonly api: { addEntry(entry: SignedEntry, head: ListHead, next?: SignedEntry): Promise<unknown> };
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

/** Changes of a list: by one entry, or by two that are added together. */
export type Changes = Change | readonly [Change, Change];

/**
 * Adds an entry to the list of members, signed by the person, unless there is nothing to change, and gives the list as it was read back. `toChange` says what
 * to change in the list of the moment; it is asked again where somebody else was faster. Rejects with a `RefusalError`, or a `NoPlaceError`, where the list's rules do not allow it.
 */
export function changeList<List extends KnownList>(
  { keyAgent, api, loadList, findSignerId }: ListWriter<List>,
  toChange: (list: List) => Changes | undefined,
): Promise<List> {
  return untilFirst(async () => {
    const list = await loadList();
    const changes = toChange(list);
    if (changes === undefined) return list;
    const [first, second]: readonly [Change, Change?] = "change" in changes ? [changes] : changes;
    const { organizationId, head } = list.list;
    const sign = async (change: Change, after: ListToCheck) => {
      const signed = await keyAgent.signEntry({ organizationId, list: after, change, signerId: findSignerId(list) });
      if (!(signed instanceof RefusalError)) return signed;
      throw signed.reason === "not_allowed" && findPlacesLeft(list.list) <= 0 ? new NoPlaceError() : signed;
    };
    const entry = await sign(first, toListToCheck(list));
    const next = second && (await sign(second, await listAfter(list, organizationId, entry)));
    await api.addEntry(entry, head, ...(next === undefined ? [] : [next]));
    return loadList();
  });
}
