import { createSeenHeads, type HeadStore, type ListHead, type PublicHalves, type SeenHeads } from "@sealpost/envelope";
import { openHeadStore } from "./head-store.ts";

/**
 * The newest of each list, envelope and personal key that this browser has seen: without secrets, and never cleared at sign-out, because they
 * are what an older list or a replaced key is recognized by.
 */
export interface Heads extends SeenHeads {
  findPublicHalves(personId: string): Promise<PublicHalves | undefined>;
  rememberPublicHalves(personId: string, halves: PublicHalves): Promise<void>;
  /** The list by which all envelopes of the organization were last found to be in order here. */
  findSwept(organizationId: string): Promise<ListHead | undefined>;
  rememberSwept(organizationId: string, head: ListHead): Promise<void>;
}

let opening: Promise<Heads> | undefined;

/** The heads of this browser. */
export function loadHeads(): Promise<Heads> {
  opening ??= openHeadStore().then(createHeads);
  return opening;
}

export function createHeads(store: HeadStore): Heads {
  return {
    ...createSeenHeads(store),
    // Only this module writes these names, so each has the type that it is read as.
    findPublicHalves: async (personId) => (await store.find(personName(personId))) as PublicHalves | undefined,
    rememberPublicHalves: (personId, halves) => store.change(personName(personId), () => halves),
    findSwept: async (organizationId) => (await store.find(sweptName(organizationId))) as ListHead | undefined,
    rememberSwept: (organizationId, head) => store.change(sweptName(organizationId), () => head),
  };
}

const sweptName = (organizationId: string) => `swept ${organizationId}`;
const personName = (personId: string) => `person ${personId}`;
