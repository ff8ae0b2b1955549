import type { ListHead, PublicHalves, SignedEntry } from "@sealpost/envelope";
import type { EnvelopeClient, EnvelopeApi as EnvelopeRequests, PartSigned, SealingList } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { Bytes } from "./bytes.ts";
import type { Heads } from "./heads.ts";

/** The requests about lists and envelopes. Each rejects with an `ApiError`. */
export interface EnvelopeApi extends EnvelopeRequests {
  /** `undefined` where the server says that there is none. */
  fetchList(): Promise<Bytes | undefined>;
  /** The file of names next to it. */
  fetchNames(): Promise<Bytes | undefined>;
  /**
   * Adds an entry after `head`, or the first one; 412 where the list has another head. `next` follows it: both are added, or neither.
   */
  addEntry(entry: SignedEntry, head: ListHead | undefined, next?: SignedEntry): Promise<unknown>;
  /** Begins another part after `head`; as `addEntry`. */
  beginPart(part: PartSigned, head: ListHead): Promise<unknown>;
  /** The head of an organization's list that the person has signed with the key in use, for other devices; `undefined` without one. */
  fetchSignedHead(organizationId: string): Promise<string | undefined>;
  /** The server keeps the one that names the later entry. */
  storeSignedHead(organizationId: string, signedHead: string): Promise<unknown>;
  /** An id for a form that is yet to be created. */
  reserveForm(): Promise<FormId>;
}

/** A person whose personal key is open in its worker, in an organization. */
export interface EnvelopeContext extends EnvelopeClient {
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
  /** By `loadCheckedList`, of the context whose method it is: contexts are spread. */
  loadList(this: EnvelopeContext): Promise<SealingList>;
}
