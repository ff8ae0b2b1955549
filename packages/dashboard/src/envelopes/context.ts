import type {
  EnvelopeHead,
  EnvelopeVersion,
  FetchedEnvelope,
  ListHead,
  PublicHalves,
  RefusalError,
  SignedEntry,
} from "@sealpost/envelope";
import type { KeyClosing, FormKey as PublishedKey } from "@sealpost/sdk";
import type { FormId, HybridPublicKey, KeyLogHead, PublicKey } from "@sealpost/wire";
import type { Bytes } from "./bytes.ts";
import type {
  EntryToSign,
  EnvelopeSeen,
  EnvelopeToOpen,
  EnvelopeToSeal,
  HeadToSign,
  KeyLogEntryToSign,
  SealedEnvelope,
} from "./form-operations.ts";
import type { Heads } from "./heads.ts";

/** The requests about lists and envelopes. Each rejects with an `ApiError`. */
export interface EnvelopeApi {
  /** `undefined` where the server says that there is none. */
  fetchList(): Promise<Bytes | undefined>;
  /** The file of names next to it. */
  fetchNames(): Promise<Bytes | undefined>;
  /**
   * Adds an entry after `head`, or the first one; 412 where the list has another head. `next` follows it: both are added, or neither.
   */
  addEntry(entry: SignedEntry, head: ListHead | undefined, next?: SignedEntry): Promise<unknown>;
  /** The head of an organization's list that the person has signed with the key in use, for other devices; `undefined` without one. */
  fetchSignedHead(organizationId: string): Promise<string | undefined>;
  /** The server keeps the one that names the later entry. */
  storeSignedHead(organizationId: string, signedHead: string): Promise<unknown>;
  /** The lowest key version of each envelope of a form. */
  listEnvelopes(formId: FormId): Promise<readonly number[]>;
  /** The newest revision of an envelope, or another one that the server still has, with the number under which it has it. */
  fetchEnvelope(formId: FormId, firstVersion: number, revision?: number): Promise<FetchedEnvelope | undefined>;
  /** The number of an envelope's newest revision, and when it was stored, by the server's word. */
  findNewest(formId: FormId, firstVersion: number): Promise<StoredRevision | undefined>;
  /** Stores the first revision, or the one after `previous`; 412 where the form has another. */
  storeEnvelope(
    formId: FormId,
    firstVersion: number,
    file: Bytes,
    previous: EnvelopeVersion | undefined,
  ): Promise<unknown>;
  fetchKeys(formId: FormId): Promise<readonly PublishedKey[]>;
  /** All entries of the form's key log; no bytes where it has none. */
  fetchKeyLog(formId: FormId): Promise<Bytes>;
  /** Adds an entry after `before`, or begins the log; 412 where the log has another end. */
  addKeyLogEntry(formId: FormId, entry: string, before: KeyLogHead | undefined): Promise<unknown>;
  /** An id for a form that is yet to be created. */
  reserveForm(): Promise<FormId>;
  createForm(form: FormToCreate): Promise<unknown>;
  /** Whether there is a form with this id. */
  hasForm(formId: FormId): Promise<boolean>;
  rotateKeys(formId: FormId, rotation: Rotation): Promise<unknown>;
}

export interface StoredRevision {
  readonly revision: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export interface PublicHalvesOfForm {
  readonly publicKey: PublicKey;
  readonly hybridPublicKey?: HybridPublicKey;
}

export interface FormToCreate extends PublicHalvesOfForm {
  readonly formId: FormId;
  readonly name: string;
  readonly settings: { readonly encryption: boolean; readonly piiStrip: boolean };
  readonly envelope: Bytes;
  /** The first entry of its key log. */
  readonly keyLogEntry: string;
}

export interface Rotation extends PublicHalvesOfForm {
  /** The version that the rotation makes. */
  readonly keyVersion: number;
  readonly envelope: Bytes;
  /** The revision that this one follows; absent where another envelope begins, as the newest one is full. */
  readonly previous?: EnvelopeHead;
  /** The entry of the new key, where the form has a key log. */
  readonly keyLogEntry?: string;
  /** Ends older versions in the same step. */
  readonly closeKeyVersions?: KeyClosing;
}

/** The operations of the thread that has the personal key. */
export interface PersonalKeyOperations {
  signEntry(entry: EntryToSign): Promise<SignedEntry | RefusalError>;
  signKeyLogEntry(entry: KeyLogEntryToSign): Promise<{ readonly entry: string } | RefusalError>;
  signHead(head: HeadToSign): Promise<{ readonly signedHead: string } | RefusalError>;
  openEnvelope(request: EnvelopeToOpen): Promise<EnvelopeSeen | RefusalError>;
  sealEnvelope(request: EnvelopeToSeal): Promise<SealedEnvelope | RefusalError>;
}

/** A person whose personal key is open, in an organization. */
export interface EnvelopeContext {
  readonly organizationId: string;
  readonly personId: string;
  /** As the session has it. */
  readonly personName: string;
  /** Whether the person is an owner by the server's word: only owners begin a list. */
  readonly isOwner: boolean;
  /** The public halves of the personal key. */
  readonly own: PublicHalves;
  readonly heads: Heads;
  readonly api: EnvelopeApi;
  readonly operations: PersonalKeyOperations;
}
