import { type NamedLock, takeEachAlone, takeLocks } from "./advisory-lock.ts";
import type { DatabaseTransaction } from "./database.ts";

/** The carriers of a right: the credential, and the membership that it acts with. */
export type Right = { readonly organizationId: string } & (
  | { readonly kind: "session"; readonly personId: string }
  | { readonly kind: "api_key"; readonly keyId: string; readonly madeBy: string }
);

/**
 * The locks of rights, always taken in this order: the organization's, the person's, the membership's, the API key's. A transaction that acts
 * shares all that the right depends on; one that takes a right away has the one that it concerns alone.
 */
const nameOf = {
  organization: (id: string) => `right/organization/${id}`,
  person: (id: string) => `right/person/${id}`,
  member: (organizationId: string, personId: string) => `right/member/${organizationId}/${personId}`,
  key: (id: string) => `right/key/${id}`,
};

const alone = (name: string): NamedLock => ({ name, mode: "alone" });

/**
 * Nobody can take this right away before the transaction ends: whatever ends the session, the key or the membership waits
 * (`lockRightsOf`), and then sees what was done with it. These locks are a statement of their own before any that read, as in
 * `lockForm`. On SQLite a transaction has the database to itself anyway.
 *
 * `change`: what the transaction itself changes, which is locked for it alone from the start. Two transactions that first shared a
 * lock, and then each wanted it alone, would wait for each other.
 */
export async function holdRight(
  transaction: DatabaseTransaction,
  right: Right,
  change: "person" | "organization" | undefined,
): Promise<void> {
  const { organizationId } = right;
  const personId = right.kind === "session" ? right.personId : right.madeBy;
  const isOfPerson = change === "person" && right.kind === "session";
  const locks: NamedLock[] = [
    { name: nameOf.organization(organizationId), mode: change === "organization" ? "alone" : "shared" },
    { name: nameOf.person(personId), mode: isOfPerson ? "alone" : "shared" },
    { name: nameOf.member(organizationId, personId), mode: isOfPerson ? "alone" : "shared" },
  ];
  if (right.kind === "api_key") locks.push({ name: nameOf.key(right.keyId), mode: "shared" });
  await takeLocks(transaction, locks);
}

/**
 * Called before a person's rights are taken away, in one organization or in all: waits for whatever is being done with them, and makes
 * whatever comes later wait for this transaction, however many requests the person sends. It comes before any other lock, so that two
 * transactions rarely wait for each other.
 */
export async function lockRightsOf(
  transaction: DatabaseTransaction,
  personId: string,
  organizationId?: string,
): Promise<void> {
  const all = nameOf.person(personId);
  const own = organizationId === undefined ? [] : [nameOf.member(organizationId, personId)];
  // Without the organization that has their id the person goes under another one, everywhere.
  const isRenaming = organizationId === personId;
  const names = organizationId === undefined || isRenaming ? [all, ...own] : own;
  await takeLocks(transaction, names.map(alone));
}

/**
 * The same for all that is done by these people anywhere, and by anybody in these organizations. For a transaction that changes the rights
 * of many at once: before it writes anything it takes all of their locks here, in the order in which requests take theirs. One that took them one by one
 * in between would wait for requests that wait for what it has written, and the database would end it as long as they come.
 */
export async function lockRightsOfAll(
  transaction: DatabaseTransaction,
  { organizationIds, personIds }: { readonly organizationIds: Iterable<string>; readonly personIds: Iterable<string> },
): Promise<void> {
  const namesOf = (ids: Iterable<string>, name: (id: string) => string) => [...new Set(ids)].toSorted().map(name);
  await takeEachAlone(transaction, [
    ...namesOf(organizationIds, nameOf.organization),
    ...namesOf(personIds, nameOf.person),
  ]);
}

/** The same for all members of an organization, whose rule for them changes. */
export async function lockRightsIn(transaction: DatabaseTransaction, organizationId: string): Promise<void> {
  await takeLocks(transaction, [alone(nameOf.organization(organizationId))]);
}

/** The same for what is done with one API key. */
export async function lockRightsOfKey(transaction: DatabaseTransaction, keyId: string): Promise<void> {
  await takeLocks(transaction, [alone(nameOf.key(keyId))]);
}
