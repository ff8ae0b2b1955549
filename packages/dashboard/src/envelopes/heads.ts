import type { EnvelopeHead, ListHead, PublicHalves } from "@sealpost/envelope";
import { openHeadStore } from "./head-store.ts";

/** Where heads are kept, by name. */
export interface HeadStore {
  /** Whether it outlives the page. */
  readonly isLasting: boolean;
  find(name: string): Promise<unknown>;
  /** Replaces the value in one transaction, unless `change` gives `undefined`. */
  change(name: string, change: (before: unknown) => unknown): Promise<void>;
}

/** The envelopes of a form as they were last seen. */
export interface FormHeads {
  /** One for each envelope. */
  readonly heads: readonly EnvelopeHead[];
  /** Somebody took the form back to key files in this browser: that the server shows no envelope is expected. */
  readonly isRemoved: boolean;
}

/**
 * The newest of each list, envelope and personal key that this browser has seen: without secrets, and never cleared at sign-out, because they
 * are what an older list or a replaced key is recognized by. Of each kind it says whether the value was still `before`: another tab may have seen more.
 */
export interface Heads {
  /** Whether they outlive the page. Where they do not, an older list or envelope is noticed only while this page is open. */
  readonly isLasting: boolean;
  findList(organizationId: string): Promise<ListHead | undefined>;
  advanceList(organizationId: string, before: ListHead | undefined, after: ListHead): Promise<boolean>;
  findEnvelopes(formId: string): Promise<FormHeads>;
  advanceEnvelope(before: EnvelopeHead | undefined, after: EnvelopeHead): Promise<boolean>;
  /** The form was taken back to key files here. */
  markRemoved(formId: string): Promise<void>;
  /** Somebody knows why the server shows other envelopes than before. */
  forgetEnvelopes(formId: string): Promise<void>;
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
  // Only this module writes to the store, so each name has the type that it is read as.
  const findList = async (id: string) => (await store.find(listName(id))) as ListHead | undefined;
  const findEnvelopes = async (id: string) => toFormHeads(await store.find(formName(id)));
  return {
    isLasting: store.isLasting,
    findList,
    async advanceList(organizationId, before, after) {
      let isAdvanced = false;
      await store.change(listName(organizationId), (value) => {
        isAdvanced = (value as ListHead | undefined)?.hash === before?.hash;
        return isAdvanced ? after : undefined;
      });
      return isAdvanced;
    },
    findEnvelopes,
    async advanceEnvelope(before, after) {
      let isAdvanced = false;
      await store.change(formName(after.formId), (value) => {
        const { heads } = toFormHeads(value);
        isAdvanced = findHead(heads, firstVersionOf(after))?.hash === before?.hash;
        const others = heads.filter((head) => firstVersionOf(head) !== firstVersionOf(after));
        return isAdvanced ? ({ heads: [...others, after], isRemoved: false } satisfies FormHeads) : undefined;
      });
      return isAdvanced;
    },
    markRemoved: (formId) =>
      store.change(formName(formId), (value) => ({ ...toFormHeads(value), isRemoved: true }) satisfies FormHeads),
    forgetEnvelopes: (formId) => store.change(formName(formId), () => toFormHeads(undefined)),
    findPublicHalves: async (personId) => (await store.find(personName(personId))) as PublicHalves | undefined,
    rememberPublicHalves: (personId, halves) => store.change(personName(personId), () => halves),
  };
}

/** The lowest key version of an envelope, which says which of a form's envelopes it is. */
export function firstVersionOf({ keys }: EnvelopeHead): number {
  return keys[0]?.version ?? 0;
}

export function findHead(heads: readonly EnvelopeHead[], firstVersion: number): EnvelopeHead | undefined {
  return heads.find((head) => firstVersionOf(head) === firstVersion);
}

function toFormHeads(value: unknown): FormHeads {
  return (value as FormHeads | undefined) ?? { heads: [], isRemoved: false };
}

const listName = (organizationId: string) => `list ${organizationId}`;
const formName = (formId: string) => `form ${formId}`;
const personName = (personId: string) => `person ${personId}`;
