import type { PublicHalves } from "@sealpost/envelope";
import type { EnvelopeClient, EnvelopeApi as EnvelopeRequests, ListApi, SealingList } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { Heads } from "./heads.ts";

/** The requests about lists and envelopes. Each rejects with an `ApiError`. */
export interface EnvelopeApi extends EnvelopeRequests, ListApi {
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
  /**
   * Whatever seals keys or signs for others waits for it, by the key agent: rejects with `Cancelled` unless the person means this organization, and was shown
   * who reads there.
   */
  requireOrganization(): Promise<void>;
  /** By `loadCheckedList`, of the context whose method it is: contexts are spread. */
  loadList(this: EnvelopeContext): Promise<SealingList>;
}
