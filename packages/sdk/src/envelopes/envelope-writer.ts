import {
  createSeenHeads,
  type Member,
  parsePersonalKey,
  type Standing,
  toConfirmed,
  type VerifiedList,
} from "@sealpost/envelope";
import { type FormId, findNativeKem, type KeyLogHead, type LoggedKey } from "@sealpost/wire";
import type { CallOptions } from "../client/call.ts";
import type { OpeningKey } from "../open.ts";
import { createAttempts } from "./attempts.ts";
import { changeReaders, type ReaderChange } from "./change-readers.ts";
import {
  createEnvelopeReader,
  type EnvelopeReader,
  type EnvelopeReaderOptions,
  type OpenedForm,
} from "./envelope-reader.ts";
import { beginKeyLog, createNextEntry, renewKeyLog } from "./form-key-log.ts";
import { writeKeyLogHead } from "./name-key-log.ts";
import { findSelf, findStanding, openWhole } from "./whole-form.ts";
import { createForm, type FormToMake, type RotationToMake, rotateForm, type WrittenForm } from "./write-form.ts";

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
  /** The envelopes of a form, where nothing of them is refused or doubtful: otherwise no revision may follow. */
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
   * have changed since: then that one rotates once more.
   */
  rotateForm(formId: string, rotation?: RotationToMake, options?: CallOptions): Promise<WrittenForm>;
  /**
   * Writes the next revision of each of a form's envelopes whose readers are not those that they should be. Members who have left, have keys that nobody has
   * accepted, or are vouched for by nobody, are left out; recovery keys are always in; the writer stays a reader. Whether any was changed. An owner's names in the form's key log
   * who may sign by now.
   */
  changeReaders(formId: string, change: ReaderChange, options?: CallOptions): Promise<boolean>;
  /**
   * Begins a form's key log with its newest key, which the form's envelope or `keys` has to have. Gives the entry's head, of what was signed here, to be
   * pinned. Rejects with an `EnvelopeProblemError`: `key_log_exists`, `key_not_held`, or `key_log_refused` where another log was seen.
   */
  beginKeyLog(formId: string, keys?: readonly OpeningKey[], options?: CallOptions): Promise<KeyLogHead>;
  /**
   * Adds an owner's entry with the same key, which names the owners and managers of the list of now, and its recovery keys that sign, as its signers. Rejects
   * with the `EnvelopeProblemError` `no_key_log_owner` where the newest entry does not name the person as an owner.
   */
  renewKeyLog(formId: string, options?: CallOptions): Promise<KeyLogHead>;
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
  const reader = await createEnvelopeReader(options);
  const { client, heads, kem = findNativeKem(), now = Date.now, former = [] } = options;
  const stored = { store: heads, heads: createSeenHeads(heads), attempts: createAttempts(heads) };
  const writing = { client, reader, key, former, ...stored, kem, now };
  return {
    ...reader,
    findSelf: (list) => findSelf(list, key),
    findStanding: (list) => findStanding(writing, list),
    confirmMembers: async ({ organizationId }, members) =>
      writing.heads.confirm(organizationId, await Promise.all(members.map(toConfirmed))),
    openWhole: (formId, callOptions) => openWhole(reader, formId, callOptions),
    createForm: (form, callOptions) => createForm(writing, form, callOptions),
    rotateForm: (formId, rotation, callOptions) => rotateForm(writing, formId, rotation, callOptions),
    changeReaders: (formId, change, callOptions) => changeReaders(writing, formId, change, callOptions),
    // Ids of forms, by the API's document: the log of any other is refused.
    async beginKeyLog(formId, keys = [], callOptions) {
      const head = await beginKeyLog(writing, formId as FormId, keys, callOptions);
      await writeKeyLogHead(writing, formId as FormId, head, callOptions);
      return head;
    },
    renewKeyLog: (formId, callOptions) => renewKeyLog(writing, formId as FormId, callOptions),
    createKeyLogEntry: (formId, key, callOptions) => createNextEntry(writing, formId as FormId, key, null, callOptions),
  };
}
