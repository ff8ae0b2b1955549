import { formatNames } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import { createFairQueue, type FairQueue } from "../rate-limits/fair-queue.ts";
import { runWithTurn } from "../rate-limits/page-turns.ts";
import type { ListNameStore } from "./list-name-store.ts";
import type { MemberListStore } from "./member-list-store.ts";

/**
 * Reads the newest page of a signed list, or the page that has an entry, for a person, in that person's turn. Throws `unavailable` where too many of the
 * person's wait. A read holds all that it has found so far, up to 16 MiB: those that wait hold nothing yet, and what was read is an answer, whose memory has
 * a bound of its own.
 */
export type ReadListPage = (
  organizationId: AccountId,
  personId: AccountId,
  entry?: number,
) => ReturnType<MemberListStore["findPage"]>;

/** The same of the entries from one on, as many as a page has. */
export type ReadListFrom = (
  organizationId: AccountId,
  personId: AccountId,
  from: number,
) => ReturnType<MemberListStore["findFrom"]>;

/** The same of the file of names next to it: up to 2.6 MB. */
export type ReadNames = (organizationId: AccountId, personId: AccountId) => Promise<string>;

/** Some at once, so that none waits for the database alone; people share alike, however many organizations they have. */
export function createListReadQueue(): FairQueue {
  return createFairQueue({
    runningMax: 2,
    waitingMax: 256,
    waitingMaxOfOne: 32,
    message: "Too many requests. Please try again later.",
    retrySeconds: 10,
  });
}

export function createReadListPage(
  lists: Pick<MemberListStore, "findPage">,
  queue: FairQueue = createListReadQueue(),
): ReadListPage {
  return (organizationId, personId, entry) => {
    const read = () => lists.findPage(organizationId, runWithTurn, entry);
    return queue.run({ accountId: personId, personId }, read, `page ${entry} ${organizationId}`);
  };
}

export function createReadListFrom(lists: Pick<MemberListStore, "findFrom">, queue: FairQueue): ReadListFrom {
  return (organizationId, personId, from) => {
    const read = () => lists.findFrom(organizationId, runWithTurn, from);
    return queue.run({ accountId: personId, personId }, read, `from ${from} ${organizationId}`);
  };
}

export function createReadNames(names: Pick<ListNameStore, "list">, queue: FairQueue): ReadNames {
  return (organizationId, personId) => {
    const read = async () => formatNames(organizationId, await names.list(organizationId, runWithTurn));
    return queue.run({ accountId: personId, personId }, read, `names ${organizationId}`);
  };
}
