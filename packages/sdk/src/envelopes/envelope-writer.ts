import {
  type Change,
  type Member,
  parsePersonalKey,
  type Standing,
  toConfirmed,
  type VerifiedList,
} from "@sealpost/envelope";
import { type FormId, findNativeKem, type KeyLogHead, type LoggedKey, type VerifiedKeyLog } from "@sealpost/wire";
import type { CallOptions } from "../client/call.ts";
import type { OpeningKey } from "../open.ts";
import { createAttempts } from "./attempts.ts";
import { type Bringable, type BringingBack, bringBack, findBringable } from "./bring-back.ts";
import { type ChangedReaders, changeFormReaders, type ReaderChange } from "./change-form-readers.ts";
import { changeList } from "./change-list.ts";
import { type Clearable, clearEnvelope, findClearable } from "./clear-envelope.ts";
import { createEnvelopeApi } from "./envelope-api.ts";
import type { EnvelopeClient, KnownList, SealingList } from "./envelope-client.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import {
  createReading,
  type EnvelopeReader,
  type EnvelopeReaderOptions,
  type OpenedForm,
  toReader,
} from "./envelope-reader.ts";
import { acceptFirstSight, type FirstSight, type SightOutcome } from "./first-sights.ts";
import { beginKeyLog, createEntry, mayPin, renewKeyLog } from "./form-key-log.ts";
import { type GivenUpKeyLog, giveUpKeyLog } from "./give-up-key-log.ts";
import { type DeniedHere, goByKeyLog } from "./go-by-key-log.ts";
import { createListApi } from "./list-api.ts";
import { nameKeyLogHead } from "./name-key-log.ts";
import { type OpenedEnvelopes, openForm } from "./open-form.ts";
import type { SearchOptions } from "./search-revisions.ts";
import { createKeyAgent } from "./use-personal-key.ts";
import { findSelf, openToWrite, openWhole, toProblem, toSealingList, untilFirst } from "./whole-form.ts";
import {
  createForm,
  type FormToMake,
  type RotatedForm,
  type RotationToMake,
  rotateForm,
  type WrittenForm,
} from "./write-form.ts";

export interface EnvelopeWriterOptions extends EnvelopeReaderOptions {
  /** The clock, in milliseconds since the Unix epoch. */
  readonly now?: () => number;
}

export interface EnvelopeWriter extends EnvelopeReader {
  /** The person whose key it is, as a member who writes. Throws an `EnvelopeProblemError`, `not_a_writer`. */
  findSelf(list: VerifiedList): Member;
  /** By what members are vouched for here, for `findSealable` and `findUnvouched`: the key that is open, and the members who were confirmed on this machine. */
  findStanding(list: VerifiedList): Promise<Standing>;
  /** Remembers that the person knows these members of the list with their present keys and roles: something may be sealed for them from here. */
  confirmMembers(list: VerifiedList, members: readonly Member[]): Promise<void>;
  /**
   * Adds an entry to the list of members, unless `toChange` finds nothing to change in the list of the moment, and gives the list as it was read back. Wants a
   * session. Rejects with a `RefusalError`, or a `NoPlaceError`, where the list's rules do not allow the entry.
   */
  changeList(toChange: (list: VerifiedList) => Change | undefined, options?: CallOptions): Promise<VerifiedList>;
  /** The envelopes of a form. Rejects if one is refused, since no revision may follow then. */
  openWhole(formId: string, options?: CallOptions): Promise<OpenedForm>;
  /**
   * Creates a form together with the envelope of its key, in one transaction. A call that was cut off within the last 7 days is finished by the next one
   * with the same name. After that the next one creates another form, which the service refuses while the first one has that name.
   * Rejects with an `EnvelopeProblemError`; its `file`, if there is one, is an envelope with a key that is in use and that the server does not show.
   */
  createForm(form: FormToMake, options?: CallOptions): Promise<WrittenForm>;
  /**
   * Gives a form a new key, for those who read its newest envelope, together with that envelope's next revision and, where the form has one, the next entry
   * of its key log. A call that was cut off within the last hour is finished by the next one, unless its readers
   * have changed since: then that one rotates once more. Rejects with a `LostKeysError` where keys would be left behind that nobody has said may be lost.
   */
  rotateForm(formId: string, rotation?: RotationToMake, options?: CallOptions): Promise<RotatedForm>;
  /**
   * Writes the next revision of each of a form's envelopes whose readers are not those that they should be. Members who have left, have keys that nobody has
   * accepted, or are vouched for by nobody, are left out; recovery keys are always in; the writer stays a reader. An owner's names in the form's key log who may sign by now.
   */
  changeReaders(formId: string, change: ReaderChange, options?: CallOptions): Promise<ChangedReaders>;
  /**
   * Looks for keys and readers that can be brought back into an envelope whose newest revision is refused for what its writer has made (`bringable`):
   * show the readers to a person first. `undefined`: nothing older opens. Rejects with an `UnfinishedSearchError` after 512 revisions that don't open, unless
   * `isThorough`.
   */
  findBringable(
    formId: string,
    firstVersion: number,
    options?: CallOptions & SearchOptions,
  ): Promise<Bringable | undefined>;
  /**
   * A person was shown this first sight (`findFirstSights` in what `open` gives, and `describeFirstSights`), and has said that it is right: this very revision is remembered,
   * and others follow it, unless the service has another one by now, or the list says something else of its signer or readers.
   */
  acceptFirstSight(formId: string, sight: FirstSight, options?: CallOptions): Promise<SightOutcome>;
  /**
   * A person was shown an envelope of `findDeniedHere`, and has said that the form's key log decides: what it denies is forgotten here. Why the envelope is refused all the
   * same, if it is.
   */
  goByKeyLog(formId: string, denied: DeniedHere, options?: CallOptions): ReturnType<typeof goByKeyLog>;
  /** The person knows that envelopes of `seenAgain` are seen for the first time. */
  noteKnown(formId: string): Promise<void>;
  /** Writes the revision that follows the refused one, with what was found, and reads it back. */
  bringBack(found: Bringable, options?: BringingBack & CallOptions): Promise<void>;
  /**
   * For an owner, where the keys of an envelope are lost, as nothing of it opens and nothing can be brought back: its next revision has no key, and is for the readers of the form's last
   * envelope that opens. Show them to a person first. `undefined`: it is not such an envelope.
   */
  findClearable(
    formId: string,
    firstVersion: number,
    options?: CallOptions & SearchOptions,
  ): Promise<Clearable | undefined>;
  /** Writes that revision, and reads it back. The versions that have their place in it stay without their keys. */
  clearEnvelope(found: Clearable, options?: CallOptions): Promise<void>;
  /**
   * Begins a form's key log with its newest key, which the form's envelope or `keys` has to have. Gives the entry's head, of what was signed here, to be
   * pinned. Rejects with an `EnvelopeProblemError`: `key_log_exists`, `key_not_held`, or `key_log_refused` where another log was seen.
   */
  beginKeyLog(formId: string, keys?: readonly OpeningKey[], options?: CallOptions): Promise<KeyLogHead>;
  /**
   * Adds an owner's entry with the same key, which names the owners and managers of the list of now, and its recovery keys that sign, as its signers. Rejects
   * with the `EnvelopeProblemError` `no_key_log_owner` where the newest entry does not name the person as an owner, and `logged_key_not_held` where its key is
   * neither in the form's envelopes nor in `keys`; where no key of the form is open here, unless the person has signed an entry of this log.
   */
  renewKeyLog(formId: string, keys?: readonly OpeningKey[], options?: CallOptions): Promise<KeyLogHead>;
  /** Whether a page may pin this log, by the same rule: anyone could have made up another one. */
  mayPinKeyLog(
    formId: string,
    log: VerifiedKeyLog,
    keys?: readonly OpeningKey[],
    options?: CallOptions,
  ): Promise<boolean>;
  /**
   * Gives up a form's key log, of an owner with a session: the service removes it, it is forgotten here, and the form's newest envelope says that there is
   * none, so that its managers can rotate on their devices. Done again, it finishes what was cut off.
   */
  giveUpKeyLog(formId: string, options?: CallOptions): Promise<GivenUpKeyLog>;
  /** The entry to send with the rotation of a form without an envelope, `keyLogEntry`; `undefined` where the form has no log. */
  createKeyLogEntry(formId: string, key: LoggedKey, options?: CallOptions): Promise<string | undefined>;
}

/**
 * Writes envelopes with the personal key of an owner or manager, an opened copy of which is the identity. Rejects with a TypeError that names the invalid
 * option (never its value). What is about to be sent is kept in `heads` until it was read back, sealed: a program that dies at any moment loses no key.
 */
export async function createEnvelopeWriter(options: EnvelopeWriterOptions): Promise<EnvelopeWriter> {
  const key = await parsePersonalKey(options.identity);
  if (key === undefined)
    throw new TypeError("identity is not a personal key: the identity of a program reads, and does not sign");
  const reading = await createReading(options);
  const { client, kem = findNativeKem(), now = Date.now, former = [] } = options;
  const keyAgent = createKeyAgent({ ...key, former }, options.kem);
  const own = { signingKey: key.signingKey, former: former.map(({ signingKey }) => signingKey) };
  const { heads, store } = reading;
  const attempts = createAttempts(store);
  const toClient = (callOptions?: CallOptions): EnvelopeClient => ({
    ...{ heads, keyAgent, own },
    api: createEnvelopeApi(client, callOptions),
    loadList: async () => toSealingList(await reading.loadList(callOptions), heads, key),
  });
  const toWriting = (callOptions?: CallOptions) => ({
    ...{ client: toClient(callOptions), forms: client.forms, store, attempts, kem, now, options: callOptions },
    findKnownList: () => reading.loadList(callOptions),
  });
  return {
    ...toReader(reading),
    findSelf: (list) => findSelf(list, key),
    findStanding: async ({ organizationId }) => ({ own: key, confirmed: await heads.findConfirmed(organizationId) }),
    confirmMembers: async (list, members) =>
      heads.confirm(list.organizationId, await Promise.all(members.map((member) => toConfirmed(list, member)))),
    async changeList(toChange, callOptions) {
      const loadList = () => reading.loadList(callOptions);
      const signing = { keyAgent, api: createListApi(client, callOptions), loadList };
      const findSignerId = ({ list }: KnownList) => findSelf(list, key).id;
      return (await changeList({ ...signing, findSignerId }, ({ list }) => toChange(list))).list;
    },
    async openWhole(formId, callOptions) {
      const opened = await openWhole(reading.opener(callOptions), formId, () => reading.loadList(callOptions));
      return { ...opened, list: opened.list.list };
    },
    createForm: (form, callOptions) => orProblem(createForm(toWriting(callOptions), form)),
    rotateForm: (formId, rotation, callOptions) => orProblem(rotateForm(toWriting(callOptions), formId, rotation)),
    changeReaders: (formId, change, callOptions) => orProblem(changeReaders(toClient(callOptions), formId, change)),
    async findBringable(formId, firstVersion, callOptions) {
      const envelopes = toClient(callOptions);
      return findBringable(envelopes, await envelopes.loadList(), formId as FormId, firstVersion, callOptions); // as below
    },
    async acceptFirstSight(formId, sight, callOptions) {
      const form = { formId: formId as FormId, loadList: () => reading.loadList(callOptions) }; // as below
      return (await orProblem(acceptFirstSight(reading.opener(callOptions), form, sight))).outcome;
    },
    noteKnown: (formId) => heads.noteKnown(formId),
    goByKeyLog(formId, denied, callOptions) {
      const form = { formId: formId as FormId, loadList: () => reading.loadList(callOptions) }; // as below
      return orProblem(goByKeyLog(reading.opener(callOptions), form, denied));
    },
    bringBack: (found, callOptions) => orProblem(bringBackWith(toClient(callOptions), found, callOptions)),
    async findClearable(formId, firstVersion, callOptions) {
      const envelopes = toClient(callOptions);
      return findClearable(envelopes, await envelopes.loadList(), formId as FormId, firstVersion, callOptions); // as below
    },
    clearEnvelope: (found, callOptions) => orProblem(clear(toClient(callOptions), found)),
    // Ids of forms, by the API's document: the log of any other is refused.
    async beginKeyLog(formId, keys = [], callOptions) {
      const writing = toWriting(callOptions);
      const head = await orProblem(beginKeyLog(writing, formId as FormId, keys));
      // The log has begun, whatever becomes of the envelope: an owner's next change of its readers names it too.
      await nameBegunLog(writing.client, formId as FormId, head).catch(() => undefined);
      return head;
    },
    renewKeyLog: (formId, keys = [], callOptions) =>
      orProblem(renewKeyLog(toWriting(callOptions), formId as FormId, keys)),
    mayPinKeyLog: (formId, log, keys = [], callOptions) =>
      orProblem(mayPin(toWriting(callOptions), formId as FormId, log, keys)),
    giveUpKeyLog(formId, callOptions) {
      const envelopes = toClient(callOptions);
      return giveUpKeyLog(envelopes, formId as FormId, {
        client: envelopes,
        open: () => openIfWriter(envelopes, formId as FormId),
      });
    },
    createKeyLogEntry: (formId, logged, callOptions) =>
      orProblem(createEntry(toWriting(callOptions), formId as FormId, logged)),
  };
}

function changeReaders(client: EnvelopeClient, formId: string, change: ReaderChange): Promise<ChangedReaders> {
  return untilFirst(async () => {
    const opened = await openToWrite(client, formId);
    return changeFormReaders(client, opened, formId as FormId, change); // as above
  });
}

async function bringBackWith(client: EnvelopeClient, found: Bringable, options?: BringingBack): Promise<void> {
  const stored = await bringBack(client, await client.loadList(), found, options);
  if (stored.kind === "unread") throw new EnvelopeProblemError(stored.reason);
}

async function clear(client: EnvelopeClient, found: Clearable): Promise<void> {
  await clearEnvelope(client, await client.loadList(), found);
}

/** Nothing where the person may not write the form's envelopes, or nothing in order is shown. */
async function openIfWriter(client: EnvelopeClient, formId: FormId): Promise<OpenedEnvelopes<SealingList> | undefined> {
  try {
    const opened = await openForm(client, { formId, loadList: () => client.loadList() });
    return opened.kind === "opened" ? opened : undefined;
  } catch (error) {
    if (error instanceof EnvelopeProblemError) return undefined;
    throw error;
  }
}

async function nameBegunLog(client: EnvelopeClient, formId: FormId, head: KeyLogHead): Promise<void> {
  await nameKeyLogHead(client, await openToWrite(client, formId), formId, head);
}

async function orProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw toProblem(error);
  }
}
