import { createSeenHeads, type HeadStore, type PublicHalves, type SeenHeads } from "@sealpost/envelope";
import { openHeadStore } from "./head-store.ts";

/**
 * The newest of each list, envelope and personal key that this browser has seen: without secrets, and never cleared at sign-out, because they
 * are what an older list or a replaced key is recognized by.
 */
export interface Heads extends SeenHeads {
  findPublicHalves(personId: string): Promise<PublicHalves | undefined>;
  rememberPublicHalves(personId: string, halves: PublicHalves): Promise<void>;
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
  };
}

const personName = (personId: string) => `person ${personId}`;
