import { hasKeyLogHead, type KeyLogHead, type VerifiedKeyLog } from "@sealpost/wire";
import { type DeniedKey, withoutDenied } from "./denied-keys.ts";
import { type EnvelopeHead, findLast } from "./envelope-checks.ts";
import type { KeptEntries } from "./kept-entries.ts";
import { type KeptList, keptListBytesMax } from "./kept-list.ts";
import type { ListHead } from "./list.ts";
import type { ConfirmedMember } from "./standing.ts";

/** Where heads are kept, by name. */
export interface HeadStore {
  /** Whether it outlives the page or the program. */
  readonly isLasting: boolean;
  find(name: string): Promise<unknown>;
  /** Replaces the value in one transaction, unless `change` gives `undefined`. `null` may be kept, or forgotten with the name. */
  change(name: string, change: (before: unknown) => unknown): Promise<void>;
  /** Where whole lists are kept, apart from the heads. Without it a list that is longer than the end which is kept of it is fetched whole each time. */
  readonly lists?: ListStore;
}

/** Lists by the id of their organization. Nothing depends on it: a list that is lost or damaged is fetched again. */
export interface ListStore {
  find(organizationId: string): Promise<unknown>;
  /** Replaces it in one step; `undefined` removes it. */
  keep(organizationId: string, text: string | undefined): Promise<void>;
}

/** The head of a list as it was last seen. */
export interface SeenList extends ListHead {
  /** Nothing vouches for it but a signed head: SPECIFICATION.md section 22. */
  readonly isForReading?: boolean;
}

/** The envelopes of a form as they were last seen. */
export interface FormHeads {
  /** One for each envelope. */
  readonly heads: readonly EnvelopeHead[];
  /** Somebody took the form back to key files here: that the server shows no envelope is expected. */
  readonly isRemoved: boolean;
  /** Somebody has put the heads aside here: the next sight is the first, and what it lacks was looked at. */
  readonly isForgotten?: boolean;
  /** Entries that the newest revisions name and that are missing from `heads`, because the server does not show their key log. */
  readonly unshown?: readonly UnshownKeyLog[];
  /**
   * Those that were seen for the first time where the service did not say which keys they have to have. They are no part of the form head: until it does, lower
   * revisions and others of the same number are refused by them, and nothing else.
   */
  readonly unlisted?: readonly EnvelopeHead[];
  /** First versions of envelopes that were among those, and were forgotten when the service listed their keys, until a person has said that they know. */
  readonly seenAgain?: readonly number[];
}

/** The entry of a key log that an envelope names, and that is not in the log which the server shows. */
interface UnshownKeyLog {
  readonly firstVersion: number;
  readonly keyLog: KeyLogHead;
}

/**
 * The newest of each list and envelope that was seen: without secrets, and what an older one is recognized by. `advance…` says whether the value
 * was still `before`: another tab or program may have seen more.
 */
export interface SeenHeads {
  /** Whether they outlive the page or the program. Where they do not, an older list or envelope is noticed only until its end. */
  readonly isLasting: boolean;
  findList(organizationId: string): Promise<SeenList | undefined>;
  advanceList(organizationId: string, before: SeenList | undefined, after: SeenList): Promise<boolean>;
  /** The last entries of a list that was seen, to give back to a service that has lost them. */
  findEntries(organizationId: string): Promise<KeptEntries | undefined>;
  keepEntries(organizationId: string, kept: KeptEntries): Promise<void>;
  /** A list that was seen, or the part of it that is kept. */
  findKeptList(organizationId: string): Promise<KeptList>;
  /** Keeps a whole list, as `formatKeptList` writes it, in the place of the one before; `undefined`: its end is enough. */
  keepList(organizationId: string, text: string | undefined): Promise<void>;
  /**
   * Somebody knows why the server shows another list, or an older one: the next sight is the first. Whom the user has confirmed there is forgotten too, since
   * what was confirmed was a member of that list; and so is what was seen of a form by a list that the next one does not contain.
   */
  forgetList(organizationId: string): Promise<void>;
  /** The heads of lists that were put aside. */
  findForgottenLists(organizationId: string): Promise<readonly ListHead[]>;
  findEnvelopes(formId: string): Promise<FormHeads>;
  advanceEnvelope(
    before: EnvelopeHead | undefined,
    after: EnvelopeHead,
    options?: { readonly isUnlisted?: boolean },
  ): Promise<boolean>;
  /** Somebody has the form's key log decide which hybrid keys and seeds of an envelope's keys are the form's: these remembered values are forgotten. */
  forgetDenied(formId: string, firstVersion: number, denied: readonly DeniedKey[]): Promise<void>;
  /** The person knows that envelopes are seen for the first time which were kept apart before. */
  noteKnown(formId: string): Promise<void>;
  /** Whether everything that was seen of the form is kept apart: then neither its key log nor its organization is remembered. */
  isApart(formId: string): Promise<boolean>;
  /** The service lists a version of these envelopes: the next sight of them is the first. */
  dropUnlisted(formId: string, firstVersions: readonly number[]): Promise<void>;
  /** The form was taken back to key files here. */
  markRemoved(formId: string): Promise<void>;
  /** Somebody knows why the server shows other envelopes than before. The form's organization stays noted. */
  forgetEnvelopes(formId: string): Promise<void>;
  /** The form was seen by a list that was put aside since. Unlike with `forgetEnvelopes`, nobody has looked at what the next sight of it lacks. */
  dropEnvelopes(formId: string): Promise<void>;
  /** Somebody knows why the server shows the form in another organization: `claimForm` notes the next one, whose envelopes are others. */
  forgetForm(formId: string): Promise<void>;
  /** The newest entry of the form's key log. */
  findKeyLog(formId: string): Promise<KeyLogHead | undefined>;
  advanceKeyLog(formId: string, before: KeyLogHead | undefined, after: KeyLogHead): Promise<boolean>;
  /**
   * Somebody knows why the server shows another key log than before, or none: it was given up, and so was what envelopes that were seen name of it. `next`: the log that
   * the server shows by now: its newest entry counts as seen, and none of its entries as given up.
   */
  forgetKeyLog(formId: string, next?: VerifiedKeyLog): Promise<void>;
  /** The entries that the form's log has to have by its envelopes: what the newest that was seen names, and what was not shown. Not of a log that was given up. */
  findNamedKeyLogs(formId: string): Promise<readonly KeyLogHead[]>;
  /** The newest revision of this envelope names an entry that the server does not show: noted until it does, or another revision takes its place. */
  noteUnshown(formId: string, named: UnshownKeyLog): Promise<void>;
  /** Whether somebody has said that the log with this entry was given up. */
  isGivenUp(formId: string, head: KeyLogHead): Promise<boolean>;
  /**
   * Notes to which organization a form belongs, unless it was noted before, or its envelopes were seen in one, or are kept apart. Whether it is this one: a server could
   * show a form where others read.
   */
  claimForm(formId: string, organizationId: string): Promise<boolean>;
  /** The same without noting it. */
  isFormOf(formId: string, organizationId: string): Promise<boolean>;
  /** The members of an organization whom the user of this device has confirmed on it. */
  findConfirmed(organizationId: string): Promise<readonly ConfirmedMember[]>;
  /** Each takes the place of the same member as confirmed before; of more than 256 the oldest are forgotten. */
  confirm(organizationId: string, members: readonly ConfirmedMember[]): Promise<void>;
}

/** Entries of logs that were given up: one for each envelope of a form, a few times over. */
const givenUpMax = 128;
const confirmedMax = 256;
/** More than anybody puts aside. */
const forgottenListsMax = 16;

/** Heads in a store that nothing else writes to under these names. */
export function createSeenHeads(store: HeadStore): SeenHeads {
  // Only this module writes these names, so each has the type that it is read as.
  const findList = async (id: string) => ((await store.find(listName(id))) ?? undefined) as SeenList | undefined;
  const findForgottenLists = async (id: string) => ((await store.find(forgottenName(id))) ?? []) as readonly ListHead[];
  const findEnvelopes = async (id: string) => toFormHeads(await store.find(formName(id)));
  const forgetEnvelopes = (id: string) =>
    store.change(formName(id), () => ({ ...toFormHeads(undefined), isForgotten: true }) satisfies FormHeads);
  const findEntries = async (id: string) =>
    ((await store.find(entriesName(id))) ?? undefined) as KeptEntries | undefined;
  // Where there is no room for it, say, the list is fetched whole the next time.
  const keepList = async (id: string, text: string | undefined) =>
    store.lists
      ?.keep(id, text !== undefined && text.length > keptListBytesMax ? undefined : text)
      .catch(() => undefined);
  const findKeyLog = async (id: string) => ((await store.find(keyLogName(id))) ?? undefined) as KeyLogHead | undefined;
  const findGivenUp = async (id: string) => ((await store.find(givenUpName(id))) ?? []) as readonly string[];
  const isApart = async (id: string) => {
    const { heads, unlisted = [] } = await findEnvelopes(id);
    return heads.length === 0 && unlisted.length > 0;
  };
  const claimForm = async (id: string, organizationId: string, isNoted: boolean) => {
    // Heads may have come from another device, without a note.
    const [seen] = (await findEnvelopes(id)).heads;
    const owner = seen?.organizationId ?? organizationId;
    let isOwn = false;
    await store.change(ownerName(id), (value) => {
      isOwn = (value ?? owner) === organizationId;
      return value || !isNoted ? undefined : owner;
    });
    return isOwn;
  };
  return {
    isLasting: store.isLasting,
    findList,
    async advanceList(organizationId, before, after) {
      let isAdvanced = false;
      await store.change(listName(organizationId), (value) => {
        const now = (value ?? undefined) as SeenList | undefined;
        // Another tab may have found meanwhile that it is good for everything.
        isAdvanced = now?.hash === before?.hash && now?.isForReading === before?.isForReading;
        return isAdvanced ? after : undefined;
      });
      return isAdvanced;
    },
    findEntries,
    keepEntries: (id, kept) =>
      store.change(entriesName(id), (value) => (JSON.stringify(value) === JSON.stringify(kept) ? undefined : kept)),
    async findKeptList(id) {
      const [text, entries] = await Promise.all([store.lists?.find(id).catch(() => undefined), findEntries(id)]);
      return { text, entries };
    },
    keepList,
    async forgetList(id) {
      const head = await findList(id);
      if (head !== undefined)
        await store.change(forgottenName(id), (value) => {
          const before = (value ?? []) as readonly ListHead[];
          return [...before, { number: head.number, hash: head.hash }].slice(-forgottenListsMax);
        });
      await store.change(confirmedName(id), () => []);
      for (const name of [listName(id), entriesName(id)]) await store.change(name, () => null);
      await keepList(id, undefined);
    },
    findForgottenLists,
    findEnvelopes,
    async advanceEnvelope(before, after, { isUnlisted = false } = {}) {
      let isAdvanced = false;
      await store.change(formName(after.formId), (value) => {
        const { heads, unshown, unlisted = [], seenAgain } = toFormHeads(value);
        isAdvanced = findHead(isUnlisted ? unlisted : heads, after.firstVersion)?.hash === before?.hash;
        const isOther = ({ firstVersion }: Pick<EnvelopeHead, "firstVersion">) => firstVersion !== after.firstVersion;
        const apart = [...unlisted.filter(isOther), ...(isUnlisted ? [after] : [])];
        const next: FormHeads = {
          heads: isUnlisted ? heads : [...heads.filter(isOther), after],
          isRemoved: false,
          ...toUnshown(unshown, isOther),
          ...(apart.length > 0 && { unlisted: apart }),
          ...(seenAgain && { seenAgain }),
        };
        return isAdvanced ? next : undefined;
      });
      return isAdvanced;
    },
    forgetDenied: (formId, firstVersion, denied) =>
      store.change(formName(formId), (value) => {
        const { heads, ...seen } = toFormHeads(value);
        const isOf = (head: EnvelopeHead) => head.firstVersion === firstVersion;
        const next = heads.map((head) => (isOf(head) ? withoutDenied(head, denied) : head));
        return { ...seen, heads: next } satisfies FormHeads;
      }),
    dropUnlisted: (formId, firstVersions) =>
      store.change(formName(formId), (value) => {
        const { unlisted = [], seenAgain = [], ...seen } = toFormHeads(value);
        const isDropped = ({ firstVersion }: EnvelopeHead) => firstVersions.includes(firstVersion);
        const apart = unlisted.filter((one) => !isDropped(one));
        const dropped = [
          ...new Set([...seenAgain, ...unlisted.filter(isDropped).map(({ firstVersion }) => firstVersion)]),
        ];
        return { ...seen, ...(apart.length > 0 && { unlisted: apart }), seenAgain: dropped } satisfies FormHeads;
      }),
    noteKnown: (formId) =>
      store.change(formName(formId), (value) => {
        const { seenAgain: _, ...seen } = toFormHeads(value);
        return seen;
      }),
    isApart,
    markRemoved: (formId) =>
      store.change(formName(formId), (value) => ({ ...toFormHeads(value), isRemoved: true }) satisfies FormHeads),
    forgetEnvelopes,
    dropEnvelopes: (id) => store.change(formName(id), () => toFormHeads(undefined)),
    async forgetForm(formId) {
      await forgetEnvelopes(formId);
      await store.change(ownerName(formId), () => null);
    },
    findKeyLog,
    async advanceKeyLog(formId, before, after) {
      let isAdvanced = false;
      await store.change(keyLogName(formId), (value) => {
        isAdvanced = (value as KeyLogHead | null | undefined)?.hash === before?.hash;
        return isAdvanced ? after : undefined;
      });
      return isAdvanced;
    },
    async forgetKeyLog(formId, next) {
      const { heads, unshown = [] } = await findEnvelopes(formId);
      const named = [...heads, ...unshown].map(({ keyLog }) => keyLog);
      const isNext = (head: KeyLogHead) => next !== undefined && hasKeyLogHead(next, head);
      const left = [await findKeyLog(formId), ...named].filter((head) => head && !isNext(head));
      const known = left.flatMap((head) => head?.hash ?? []);
      await store.change(givenUpName(formId), (value) => {
        const before = (value ?? []) as readonly string[];
        return [...before.filter((hash) => !known.includes(hash)), ...new Set(known)].slice(-givenUpMax);
      });
      await store.change(keyLogName(formId), () => next?.head ?? null);
    },
    async findNamedKeyLogs(formId) {
      const { heads, unshown = [] } = await findEnvelopes(formId);
      const givenUp = await findGivenUp(formId);
      const named = [findLast(heads), ...unshown].flatMap((one) => one?.keyLog ?? []);
      return named.filter(({ hash }) => !givenUp.includes(hash));
    },
    noteUnshown: (formId, named) =>
      store.change(formName(formId), (value) => {
        const before = toFormHeads(value);
        const isOther = ({ firstVersion }: UnshownKeyLog) => firstVersion !== named.firstVersion;
        return { ...before, unshown: [...(before.unshown ?? []).filter(isOther), named] } satisfies FormHeads;
      }),
    isGivenUp: async (formId, { hash }) => (await findGivenUp(formId)).includes(hash),
    claimForm: async (formId, organizationId) => claimForm(formId, organizationId, !(await isApart(formId))),
    isFormOf: (formId, organizationId) => claimForm(formId, organizationId, false),
    findConfirmed: async (id) => ((await store.find(confirmedName(id))) ?? []) as readonly ConfirmedMember[],
    confirm: (organizationId, members) =>
      store.change(confirmedName(organizationId), (value) => {
        const ids = new Set(members.map(({ id }) => id));
        const others = ((value ?? []) as readonly ConfirmedMember[]).filter(({ id }) => !ids.has(id));
        return [...others, ...members].slice(-confirmedMax);
      }),
  };
}

export function findHead(heads: readonly EnvelopeHead[], firstVersion: number): EnvelopeHead | undefined {
  return heads.find((head) => head.firstVersion === firstVersion);
}

function toUnshown(unshown: FormHeads["unshown"] = [], isKept: (one: UnshownKeyLog) => boolean) {
  const kept = unshown.filter(isKept);
  return kept.length > 0 && { unshown: kept };
}

function toFormHeads(value: unknown): FormHeads {
  return (value as FormHeads | undefined) ?? { heads: [], isRemoved: false };
}

const listName = (organizationId: string) => `list ${organizationId}`;
const entriesName = (organizationId: string) => `entries of ${organizationId}`;
const forgottenName = (organizationId: string) => `lists put aside of ${organizationId}`;
const formName = (formId: string) => `form ${formId}`;
const keyLogName = (formId: string) => `key log of ${formId}`;
const givenUpName = (formId: string) => `given up key logs of ${formId}`;
const confirmedName = (organizationId: string) => `confirmed in ${organizationId}`;
const ownerName = (formId: string) => `organization of ${formId}`;
