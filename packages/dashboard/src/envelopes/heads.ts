import { createSeenHeads, type HeadStore, type ListHead, type PublicHalves, type SeenHeads } from "@sealpost/envelope";
import { createOwnOrganizations, type OwnOrganizations } from "@sealpost/sdk/envelopes";
import { openHeadStore } from "./head-store.ts";

/**
 * The newest of each list, envelope and personal key that this browser has seen: without secrets, and never cleared at sign-out, because they
 * are what an older list or a replaced key is recognized by.
 */
export interface Heads extends SeenHeads {
  findPublicHalves(personId: string): Promise<PublicHalves | undefined>;
  /** The keys in the place of which this browser has seen another, the oldest first. */
  findFormerKeys(personId: string): Promise<readonly PublicHalves[]>;
  rememberPublicHalves(personId: string, halves: PublicHalves): Promise<void>;
  /** The organization that the person means here. */
  organizationsOf(personId: string): OwnOrganizations;
  /** The list by which all envelopes of the organization were last found to be in order here. */
  findSwept(organizationId: string): Promise<ListHead | undefined>;
  rememberSwept(organizationId: string, head: ListHead): Promise<void>;
}

interface SeenPerson extends PublicHalves {
  /** Those that were seen before, the oldest first. */
  readonly replaced?: readonly PublicHalves[];
}

/** More than anybody replaces. */
const formerMax = 32;

let opening: Promise<Heads> | undefined;

/** The heads of this browser. */
export function loadHeads(): Promise<Heads> {
  opening ??= openHeadStore().then(createHeads);
  return opening;
}

export function createHeads(store: HeadStore): Heads {
  // Only this module writes these names, so each has the type that it is read as.
  const findPerson = async (personId: string) => (await store.find(personName(personId))) as SeenPerson | undefined;
  return {
    ...createSeenHeads(store),
    async findPublicHalves(personId) {
      const seen = await findPerson(personId);
      return seen && { recipient: seen.recipient, signingKey: seen.signingKey };
    },
    findFormerKeys: async (personId) => (await findPerson(personId))?.replaced ?? [],
    rememberPublicHalves: (personId, { recipient, signingKey }) =>
      store.change(personName(personId), (value) => {
        const before = value as SeenPerson | undefined;
        const last = before && { recipient: before.recipient, signingKey: before.signingKey };
        const others = (before?.replaced ?? []).filter((one) => one.signingKey !== last?.signingKey);
        const replaced = [...others, ...(last ? [last] : [])].filter((one) => one.signingKey !== signingKey);
        return { recipient, signingKey, replaced: replaced.slice(-formerMax) } satisfies SeenPerson;
      }),
    organizationsOf: (personId) => createOwnOrganizations(store, personId),
    findSwept: async (organizationId) => (await store.find(sweptName(organizationId))) as ListHead | undefined,
    rememberSwept: (organizationId, head) => store.change(sweptName(organizationId), () => head),
  };
}

const sweptName = (organizationId: string) => `swept ${organizationId}`;
const personName = (personId: string) => `person ${personId}`;
