import { RefusalError, type VerifiedList, verifyKeptList } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import { createFairQueue, type FairQueue } from "../rate-limits/fair-queue.ts";
import { runWithTurn } from "../rate-limits/page-turns.ts";
import type { MemberListStore, StoredHead } from "./member-list-store.ts";

/** Entries of all lists that are kept. Each takes about 4 KB. */
const entriesKeptMax = 8192;

/**
 * Lists that were read here, the last ones used: who adds an entry to one that is kept waits for one signature, not for thousands of entries. A list
 * is kept by its head, which fixes all of its entries. So it makes no difference which process has added the newest.
 */
export interface VerifiedLists {
  /** Reads the stored list up to this head for a person, in that person's turn, unless it is kept. Each entry was verified when it was added. */
  load(organizationId: AccountId, head: StoredHead, personId: AccountId): Promise<VerifiedList>;
  keep(list: VerifiedList, personId: AccountId): void;
}

interface Kept {
  readonly list: VerifiedList;
  /** The people who have used it: it gives way to another list of one of them only if nobody else has. */
  readonly users: Set<AccountId>;
}

/** One at a time, for seconds of a core: people share alike, however many organizations they have. */
export function createListQueue(): FairQueue {
  return createFairQueue({
    runningMax: 1,
    waitingMax: 256,
    waitingMaxOfOne: 8,
    message: "Too many requests. Please try again later.",
    retrySeconds: 10,
  });
}

export function createVerifiedLists(
  lists: Pick<MemberListStore, "find">,
  queue: FairQueue = createListQueue(),
  entriesMax = entriesKeptMax,
): VerifiedLists {
  /** In the order in which they were used. */
  const kept = new Map<string, Kept>();
  /** By person and list: who asks again meanwhile waits for the same. */
  const waiting = new Map<string, Promise<VerifiedList>>();
  return { load, keep };

  async function load(organizationId: AccountId, head: StoredHead, personId: AccountId): Promise<VerifiedList> {
    const key = keyOf(organizationId, head);
    const known = use(key, personId);
    if (known !== undefined) return known;
    const own = `${personId} ${key}`;
    const asked = waiting.get(own);
    if (asked !== undefined) return asked;
    // Somebody else may have had it read before this turn comes.
    const turn = () => Promise.resolve(use(key, personId) ?? read(organizationId, head, personId));
    const loading = queue.run({ accountId: personId, personId }, turn, key).finally(() => waiting.delete(own));
    waiting.set(own, loading);
    return loading;
  }

  async function read(organizationId: AccountId, head: StoredHead, personId: AccountId): Promise<VerifiedList> {
    const { text = "" } = (await lists.find(organizationId, runWithTurn)) ?? {};
    const list = await verifyKeptList(new TextEncoder().encode(text), { organizationId, head });
    if (list instanceof RefusalError) throw new Error("The stored list of members does not verify", { cause: list });
    keep(list, personId);
    return list;
  }

  function use(key: string, personId: AccountId): VerifiedList | undefined {
    const found = kept.get(key);
    if (found === undefined) return undefined;
    found.users.add(personId);
    kept.delete(key);
    kept.set(key, found);
    return found.list;
  }

  function keep(list: VerifiedList, personId: AccountId): void {
    const key = keyOf(list.organizationId, list.head);
    const users = new Set([personId]);
    for (const [other, earlier] of kept)
      if (earlier.list.organizationId === list.organizationId) {
        // An earlier state of the same list, which is of no use any more.
        for (const user of earlier.users) users.add(user);
        kept.delete(other);
      }
    kept.set(key, { list, users });
    let entries = countEntries(kept.values());
    while (entries > entriesMax && kept.size > 1) {
      const [other, dropped] = findNextToDrop(key, personId);
      kept.delete(other);
      entries -= countOf(dropped);
    }
  }

  /** The person's own, that which was used longest ago first; then one of those who fill most. */
  function findNextToDrop(newest: string, personId: AccountId): readonly [string, Kept] {
    const others = [...kept].filter(([key]) => key !== newest);
    const isOf = (person: AccountId | undefined, { users }: Kept) => person !== undefined && users.has(person);
    const own = others.find(([, one]) => one.users.size === 1 && isOf(personId, one));
    if (own !== undefined) return own;
    const [heaviest] = largestOf(countByUser(others.map(([, one]) => one)));
    const found = others.find(([, one]) => isOf(heaviest, one));
    if (found === undefined) throw new Error("There is another list");
    return found;
  }
}

/** The entries that are kept for each person, in one pass: with many lists, to add them up for each would hold up everybody. */
function countByUser(kept: readonly Kept[]): ReadonlyMap<AccountId, number> {
  const entries = new Map<AccountId, number>();
  for (const one of kept) {
    const count = countOf(one);
    for (const user of one.users) entries.set(user, (entries.get(user) ?? 0) + count);
  }
  return entries;
}

/** The person with most, and the first where several have as many. */
function largestOf(counts: ReadonlyMap<AccountId, number>): readonly [AccountId | undefined, number] {
  let largest: [AccountId | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  for (const [id, count] of counts) if (count > largest[1]) largest = [id, count];
  return largest;
}

function countEntries(kept: Iterable<Kept>): number {
  let entries = 0;
  for (const one of kept) entries += countOf(one);
  return entries;
}

function countOf({ list }: Kept): number {
  return list.head.number;
}

function keyOf(organizationId: string, { number, hash }: Pick<StoredHead, "number" | "hash">): string {
  return `${organizationId} ${number} ${hash}`;
}
