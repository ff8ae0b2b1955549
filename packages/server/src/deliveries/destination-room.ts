import { partsOf } from "../webhooks/destination.ts";

export type Pace = "quick" | "slow";

/** Requests at once. */
export const slotsMax = 64;
/** An organization's requests to one host. */
const perDestinationMax = 4;
/** All organizations' requests to one host, where each may have one whatever the others have. */
const perHostMax = 16;
/** Destinations whose last answer was slow, together: of all, to one host, of one organization. */
const slowMax: PlacesMax = { all: 16, host: 4, organization: 12 };
/** Slow destinations and those that have not answered since this process started, together. */
const notQuickMax: PlacesMax = { all: 48, host: 8, organization: 36 };
/** From this many requests in flight on, a destination gets at most two at once; from the second on, one. */
const scarceAt = [32, 48] as const;
/** An organization's requests, and how many it may have once the last quarter of the slots is being given away. */
const perOrganizationMax = [48, 2] as const;

interface PlacesMax {
  readonly all: number;
  readonly host: number;
  readonly organization: number;
}

/** Requests by destination, and how many they are together. */
export interface Counts {
  readonly destinations: Map<string, number>;
  readonly hosts: Map<string, number>;
  readonly organizations: Map<string, number>;
  all: number;
}

export function createCounts(): Counts {
  return { destinations: new Map(), hosts: new Map(), organizations: new Map(), all: 0 };
}

export function add(counts: Counts, destination: string, count: number): void {
  const { host, organizationId } = partsOf(destination);
  addTo(counts.destinations, destination, count);
  addTo(counts.hosts, host, count);
  addTo(counts.organizations, organizationId, count);
  counts.all += count;
}

export function addAll(counts: Counts, more: Iterable<readonly [string, number]>): Counts {
  for (const [destination, count] of more) add(counts, destination, count);
  return counts;
}

function addTo(counts: Map<string, number>, key: string, count: number): void {
  const now = (counts.get(key) ?? 0) + count;
  if (now > 0) counts.set(key, now);
  else counts.delete(key);
}

type Paces = ReadonlyMap<string, Pace>;

/**
 * How many more a destination may get by these counts, where limits are `factor` times as wide for quick destinations.
 *
 * It starts with one request at once and gets up to four after its first quick answer; with one after a slow answer, until the
 * next quick one. Were it four from the start, sixteen receivers that hang would hold all the slots for 30 s.
 */
export function roomBy(counts: Counts, paces: Paces, destination: string, factor: number): number {
  const mine = counts.destinations.get(destination) ?? 0;
  const { all } = counts;
  const pace = paces.get(destination);
  const isQuick = pace === "quick";
  const share = isQuick ? shareBy(all, factor) : 1;
  // Most often it has its share, and this is asked for each request that ends.
  if (mine >= share) return 0;
  const { host, organizationId } = partsOf(destination);
  const toHost = counts.hosts.get(host) ?? 0;
  const ofOrganization = counts.organizations.get(organizationId) ?? 0;
  const organizationMax = perOrganizationMax[all < scarceAt[1] * factor ? 0 : 1];
  const left = Math.min(
    slotsMax * factor - all,
    perHostMax * factor - toHost,
    organizationMax * factor - ofOrganization,
  );
  if (left <= 0) return 0;
  if (isQuick) {
    // Four to a host are everyone's; if they are taken, one is still left to each organization.
    const shared = Math.min(share - mine, perDestinationMax * factor - toHost);
    return Math.max(0, Math.min(Math.max(shared, factor - mine), left));
  }
  if (!hasPlace(counts, destination, notQuickMax, (other) => paces.get(other) !== "quick")) return 0;
  return pace !== "slow" || hasPlace(counts, destination, slowMax, (other) => paces.get(other) === "slow") ? 1 : 0;
}

function shareBy(all: number, factor: number): number {
  if (all < scarceAt[0] * factor) return perDestinationMax * factor;
  return (all < scarceAt[1] * factor ? perDestinationMax / 2 : 1) * factor;
}

function hasPlace(
  { destinations }: Counts,
  destination: string,
  max: PlacesMax,
  isCounted: (destination: string) => boolean,
): boolean {
  const mine = partsOf(destination);
  const taken = { all: 0, host: 0, organization: 0 };
  for (const [other, count] of destinations) {
    if (!isCounted(other)) continue;
    const { host, organizationId } = partsOf(other);
    taken.all += count;
    if (host === mine.host) taken.host += count;
    if (organizationId === mine.organizationId) taken.organization += count;
  }
  return taken.all < max.all && taken.host < max.host && taken.organization < max.organization;
}

/** The slow destinations that get nothing because of what other slow ones have. */
export function listFullSlow({ destinations }: Counts, slow: ReadonlySet<string>): readonly string[] {
  const taken = createCounts();
  for (const [destination, count] of destinations) if (slow.has(destination)) add(taken, destination, count);
  if (taken.all >= slowMax.all) return [...slow];
  const hosts = keysFrom(taken.hosts, slowMax.host);
  const organizations = keysFrom(taken.organizations, slowMax.organization);
  if (hosts.size === 0 && organizations.size === 0) return [];
  return [...slow].filter((destination) => {
    const { host, organizationId } = partsOf(destination);
    return hosts.has(host) || organizations.has(organizationId);
  });
}

function keysFrom(counts: ReadonlyMap<string, number>, least: number): ReadonlySet<string> {
  return new Set([...counts].flatMap(([key, count]) => (count >= least ? [key] : [])));
}

/** More than this no destination ever gets. */
export function mostBy(factor: number): number {
  return perDestinationMax * factor;
}
