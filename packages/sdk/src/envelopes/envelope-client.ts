import type {
  ConfirmedMember,
  EnvelopeVersion,
  FetchedEnvelope,
  Member,
  SeenHeads,
  VerifiedList,
} from "@sealpost/envelope";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { FormKey as PublishedKey } from "../api-types.ts";
import type { FormToCreate as FormToAsk, KeyClosing } from "../client/forms-client.ts";
import type { PublicKeys } from "../prove-key.ts";
import type { KeyAgent } from "./key-agent.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * What opens and writes the envelopes of an organization's forms, with one person's key: the same for the dashboard, the command line and programs. They
 * differ in who makes the requests, where heads are kept, and in which memory the key is.
 */
export interface EnvelopeClient {
  readonly api: EnvelopeApi;
  /** The newest of each list, envelope and key log that this device has seen. */
  readonly heads: SeenHeads;
  readonly keyAgent: KeyAgent;
  /** The public half of the person's key, and those of keys that it has replaced, if any are known. */
  readonly own: { readonly signingKey: string; readonly former?: readonly string[] };
  /** Fetches the organization's list and checks it, to write by. Rejects with an `EnvelopeProblemError` or `UnusableListError` where it may not be used. */
  loadList(): Promise<SealingList>;
}

/** As much as opening needs. */
export type EnvelopeOpener = Pick<EnvelopeClient, "heads"> & {
  readonly api: Pick<EnvelopeApi, "listEnvelopes" | "listRevisions" | "fetchEnvelope" | "fetchKeys" | "fetchKeyLog">;
  readonly keyAgent: Pick<KeyAgent, "openEnvelope">;
};

/** The requests about envelopes. Each rejects with an `ApiError`, and nothing that they answer has been checked. */
export interface EnvelopeApi {
  /** The lowest key version of each envelope of a form. */
  listEnvelopes(formId: FormId): Promise<readonly number[]>;
  /** The newest revision of an envelope, or another one that the server still has, with the number under which it has it. */
  fetchEnvelope(formId: FormId, firstVersion: number, revision?: number): Promise<FetchedEnvelope | undefined>;
  /** The number of an envelope's newest revision, and when it was stored, by the server's word. */
  findNewest(formId: FormId, firstVersion: number): Promise<StoredRevision | undefined>;
  /** A page of the revisions of an envelope that the server says it has, the newest first. `next`: names the next page. */
  listRevisions(
    formId: FormId,
    firstVersion: number,
    cursor?: string,
  ): Promise<{ readonly revisions: readonly ListedRevision[]; readonly next: string | undefined }>;
  /** Stores the first revision, or the one after `previous`; 412 where the form has another. */
  storeEnvelope(
    formId: FormId,
    firstVersion: number,
    file: Bytes,
    previous: EnvelopeVersion | undefined,
  ): Promise<unknown>;
  /** The form's public keys; 404 where there is no such form, 403 where the credential may not read them. */
  fetchKeys(formId: FormId): Promise<readonly PublishedKey[]>;
  /** All entries of the form's key log; no bytes where it has none. */
  fetchKeyLog(formId: FormId): Promise<Bytes>;
  /** Adds an entry after `before`, or begins the log; 412 where the log has another end. */
  addKeyLogEntry(formId: FormId, entry: string, before: KeyLogHead | undefined): Promise<unknown>;
  /** Removes the form's key log; 404 with the reason `key_log_none` where it has none. */
  removeKeyLog(formId: FormId): Promise<unknown>;
  createForm(form: FormToSend): Promise<unknown>;
  rotateKeys(formId: FormId, rotation: RotationToSend): Promise<unknown>;
}

export interface StoredRevision {
  readonly revision: number;
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number;
}

export interface ListedRevision extends StoredRevision {
  /** The person who stored it, or who made the API key that did. The server's word: it says where to look first, and nothing else. */
  readonly writerId: string;
}

/** A form with its first key, which is in the envelope. */
export interface FormToSend extends PublicKeys {
  readonly formId: FormId;
  readonly name: string;
  readonly settings?: NonNullable<FormToAsk["settings"]>;
  readonly envelope: Bytes;
  /** The first entry of its key log. */
  readonly keyLogEntry: string;
}

export interface RotationToSend extends PublicKeys {
  /** The version that the rotation makes. */
  readonly keyVersion: number;
  readonly envelope: Bytes;
  /** The revision that this one follows or, where another envelope begins, the newest one of the form's last. */
  readonly previous?: EnvelopeVersion;
  /** The entry of the new key, where the form has a key log. */
  readonly keyLogEntry?: string;
  /** Ends older versions in the same step. */
  readonly closeKeyVersions?: KeyClosing;
}

/** A list that was checked, with its bytes: an agent in another thread checks it again. */
export interface KnownList {
  readonly list: VerifiedList;
  readonly bytes: Bytes;
  readonly names: Bytes;
  /** The person, or the program, as a member. */
  readonly own?: Member;
}

/** A list to write by. */
export interface SealingList extends KnownList {
  /** The person as a member. */
  readonly own: Member;
  /** Members whom the person has confirmed on this device. */
  readonly confirmed: readonly ConfirmedMember[];
  /** Ids of the members for whom something may be sealed: somebody in good standing vouches for them. */
  readonly sealable: ReadonlySet<string>;
}
