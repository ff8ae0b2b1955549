/**
 * How many notices of each kind an address gets within a day: up to `noticesPerDay` (`mail.ts`) of each of its first organizations, and as many of
 * all others together. Each of the first ones has a share of its own, so none that somebody is made an owner of can use up what those need.
 */
export const ownSharesMax = 5;

/** One organization of an owner. */
export interface OwnedOrganization {
  readonly organizationId: string;
  readonly personId: string;
  /** From 1: those that count for the person come first, then those to which they have belonged for longest. */
  readonly place: number;
}

/** The organizations of the person that share one number; none for an organization that has a share of its own. */
export function listSharing(
  owned: readonly OwnedOrganization[],
  { organizationId, personId }: Pick<OwnedOrganization, "organizationId" | "personId">,
): readonly string[] {
  const shared = owned.filter((one) => one.personId === personId && one.place > ownSharesMax);
  const ids = shared.map((one) => one.organizationId);
  return ids.includes(organizationId) ? ids : [];
}

/**
 * How many of the day's notices of a kind an organization has used up, for the owner who has most left: nothing is queued that nobody would get.
 * `counts` are those of organizations within the last day.
 */
export function countUsed(
  owned: readonly OwnedOrganization[],
  organizationId: string,
  counts: ReadonlyMap<string, number>,
): number {
  const countOf = (ids: readonly string[]) => ids.reduce((sum, id) => sum + (counts.get(id) ?? 0), 0);
  const owners = owned.filter((one) => one.organizationId === organizationId);
  const shared = owners.map((owner) => countOf(listSharing(owned, owner)));
  const [least = 0] = shared.toSorted((one, other) => one - other);
  return Math.max(countOf([organizationId]), least);
}
