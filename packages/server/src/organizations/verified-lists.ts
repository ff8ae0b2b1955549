import { RefusalError, type VerifiedList, verifyList } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { MemberListStore, StoredHead } from "./member-list-store.ts";

/** Entries of all lists that are kept. Each takes about 4 KB. */
const entriesKeptMax = 8192;

/**
 * Lists that were verified here, the last ones used: who adds an entry to one that is kept waits for one signature, not for up to 4,096. A list
 * is kept by its head, which fixes all of its entries. So it makes no difference which process has added the newest.
 */
export interface VerifiedLists {
  /** Verifies the stored list up to this head, unless it is kept. */
  load(organizationId: AccountId, head: StoredHead): Promise<VerifiedList>;
  keep(list: VerifiedList): void;
}

export function createVerifiedLists(lists: MemberListStore): VerifiedLists {
  const kept = new Map<string, VerifiedList>();
  return { load, keep };

  async function load(organizationId: AccountId, head: StoredHead): Promise<VerifiedList> {
    const known = kept.get(keyOf(organizationId, head));
    if (known !== undefined) return known;
    const { text = "" } = (await lists.find(organizationId)) ?? {};
    const list = await verifyList(new TextEncoder().encode(text), { organizationId, trust: { head } });
    if (list instanceof RefusalError) throw new Error("The stored list of members does not verify", { cause: list });
    keep(list);
    return list;
  }

  function keep(list: VerifiedList): void {
    const key = keyOf(list.organizationId, list.head);
    // Earlier states of the same list are of no use any more; the others end in the order in which they were used.
    for (const [other, { organizationId }] of kept) if (organizationId === list.organizationId) kept.delete(other);
    kept.set(key, list);
    let entries = [...kept.values()].reduce((sum, { head }) => sum + head.number, 0);
    for (const [other, { head }] of kept) {
      if (entries <= entriesKeptMax || other === key) return;
      kept.delete(other);
      entries -= head.number;
    }
  }
}

function keyOf(organizationId: string, { number, hash }: Pick<StoredHead, "number" | "hash">): string {
  return `${organizationId} ${number} ${hash}`;
}
