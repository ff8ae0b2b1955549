import {
  createSeenHeads,
  type HeadStore,
  type ListHead,
  namesOf,
  ofKey,
  ofOwner,
  ownerOf,
  type PublicHalves,
  type SeenHeads,
  withoutKeeping,
} from "@sealpost/envelope";
import { createOwnOrganizations, type OwnOrganizations } from "@sealpost/sdk/envelopes";
import { KeyLockedError, type SeenKeys } from "@sealpost/vault";
import { type ListedStore, openHeadStore } from "./head-store.ts";

/**
 * The newest of each list, envelope and personal key that this browser has seen: without secrets, and never cleared at sign-out, because they
 * are what an older list or a replaced key is recognized by. All of it but the keys themselves is one key's.
 */
export interface Heads extends SeenHeads, SeenKeys {
  /** The organization that the person means here. */
  organizationsOf(personId: string): OwnOrganizations;
  /** The list by which all envelopes of the organization were last found to be in order here. */
  findSwept(organizationId: string): Promise<ListHead | undefined>;
  rememberSwept(organizationId: string, head: ListHead): Promise<void>;
}

/** The keys that this browser has seen, of everybody who used it. */
export interface BrowserKeys extends SeenKeys {
  /** Whether it outlives the page. */
  readonly isLasting: boolean;
}

interface SeenPerson extends PublicHalves {
  /** Those that were seen before, the oldest first. */
  readonly replaced?: readonly PublicHalves[];
}

/** More than anybody replaces. */
const formerMax = 32;

let opening: Promise<ListedStore> | undefined;

function openStore(): Promise<ListedStore> {
  opening ??= openHeadStore();
  return opening;
}

export async function loadSeenKeys(): Promise<BrowserKeys> {
  const store = await openStore();
  return { ...createSeenKeys(store), isLasting: store.isLasting };
}

/**
 * What this browser has seen with a person's key: with `own`, which is open here, or, without it, with the key that it has seen as theirs. As long as that one is
 * locked nothing is added to it, since the server says who is signed in; the person may choose another organization, which is shown before anything is
 * sealed there. Who has no key here is known by their id.
 */
export async function loadHeads(personId: string, own: PublicHalves | undefined): Promise<Heads> {
  return openHeads(await openStore(), personId, own);
}

/**
 * The same, to put something aside there. Rejects with a `KeyLockedError` where the person's key is locked: whom the server calls so says nothing for others
 * whose key this browser has seen.
 */
export async function loadHeadsToChange(personId: string, own: PublicHalves | undefined): Promise<Heads> {
  const isKnown = own !== undefined || (await (await loadSeenKeys()).findPublicHalves(personId)) !== undefined;
  if (own === undefined && isKnown) throw new KeyLockedError();
  return loadHeads(personId, own);
}

/** `loadHeads` of a store. */
export async function openHeads(store: ListedStore, personId: string, own: PublicHalves | undefined): Promise<Heads> {
  const key = own ?? (await createSeenKeys(store).findPublicHalves(personId));
  if (key === undefined) return createHeads(ofOwner(store, personId), store);
  const kept = await ofKey(store, key.recipient);
  return createHeads(own === undefined ? withoutKeeping(kept) : kept, store, kept);
}

/** All that is kept for a key, by its names there. */
export async function readHeads({ recipient }: PublicHalves): Promise<ReadonlyMap<string, unknown>> {
  const store = await openStore();
  const owner = await ownerOf(recipient);
  const kept = ofOwner(store, owner);
  const names = namesOf(await store.names(), owner);
  return new Map(await Promise.all(names.map(async (name) => [name, await kept.find(name)] as const)));
}

/** `keys`: where the keys of all are, `choices`: the organizations that were chosen. */
export function createHeads(
  store: HeadStore,
  keys: HeadStore | ListedStore = store,
  choices: HeadStore = store,
): Heads {
  // Only this module writes these names, so each has the type that it is read as.
  return {
    ...createSeenHeads(store),
    ...createSeenKeys(keys),
    organizationsOf: (personId) => createOwnOrganizations(choices, personId),
    findSwept: async (organizationId) => (await store.find(sweptName(organizationId))) as ListHead | undefined,
    rememberSwept: (organizationId, head) => store.change(sweptName(organizationId), () => head),
  };
}

function createSeenKeys(store: HeadStore | ListedStore): SeenKeys {
  const findPerson = async (personId: string) => (await store.find(personName(personId))) as SeenPerson | undefined;
  return {
    async findPublicHalves(personId) {
      const seen = await findPerson(personId);
      return seen && { recipient: seen.recipient, signingKey: seen.signingKey };
    },
    findFormerKeys: async (personId) => (await findPerson(personId))?.replaced ?? [],
    async rememberPublicHalves(personId, { recipient, signingKey }) {
      const former = (await findPerson(personId))?.recipient;
      if (former !== undefined && former !== recipient && "names" in store) await carryOver(store, former, recipient);
      await store.change(personName(personId), (value) => {
        const before = value as SeenPerson | undefined;
        const last = before && { recipient: before.recipient, signingKey: before.signingKey };
        const others = (before?.replaced ?? []).filter((one) => one.signingKey !== last?.signingKey);
        const replaced = [...others, ...(last ? [last] : [])].filter((one) => one.signingKey !== signingKey);
        return { recipient, signingKey, replaced: replaced.slice(-formerMax) } satisfies SeenPerson;
      });
    },
  };
}

/** The person has said here that a key of theirs has taken the place of the other one: what was seen with that is not to be shown otherwise to this. */
async function carryOver(store: ListedStore, former: string, recipient: string): Promise<void> {
  const owner = await ownerOf(former);
  const [from, to] = [ofOwner(store, owner), await ofKey(store, recipient)];
  for (const name of namesOf(await store.names(), owner)) {
    const value = await from.find(name);
    await to.change(name, () => value);
  }
}

const sweptName = (organizationId: string) => `swept ${organizationId}`;
const personName = (personId: string) => `person ${personId}`;
