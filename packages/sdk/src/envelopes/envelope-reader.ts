import {
  createSeenHeads,
  type HeadStore,
  type ListHead,
  ofKey,
  parseIdentities,
  parsePersonalKey,
  recipientOf,
  type SeenHeads,
  type SigningKeys,
  type VerifiedList,
} from "@sealpost/envelope";
import type { FormId, Kem } from "@sealpost/wire";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { createEnvelopeApi } from "./envelope-api.ts";
import type { EnvelopeOpener, KnownList } from "./envelope-client.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import { findList } from "./find-list.ts";
import { createListApi } from "./list-api.ts";
import { parseListHead } from "./list-head.ts";
import { type OpenedEnvelopes, openForm } from "./open-form.ts";
import { openFormEnvelope } from "./use-personal-key.ts";

export interface EnvelopeReaderOptions {
  /** With a credential for the forms' submissions, of all forms: the list of members is the organization's. */
  readonly client: Pick<Client, "envelopes" | "forms" | "memberList">;
  /** The content of an identity file: a program's, or an opened copy of a personal key. */
  readonly identity: string;
  /** The keys that a person's key has replaced, of `loadFormerKeys`: they open what is not sealed for it yet, and a writer continues key logs with them. */
  readonly former?: readonly SigningKeys[];
  /** Where the newest list and envelopes that were seen are remembered, for each identity apart: `createHeadFile` keeps them in a file. */
  readonly heads: HeadStore;
  /** The head of the list, `NUMBER-HASH`, that was shown when the identity's recipient was added. Needed at the first use, and checked at each. */
  readonly list?: string | undefined;
  /** For runtimes that do not know hybrid keys of forms. */
  readonly kem?: Kem | undefined;
  /**
   * Where the service has lost the end of the list, after a restored backup say, the entries that were seen here are given back to it, as far as the client's
   * credential may: a session's. This gets how many it has taken.
   */
  readonly onGivenBack?: ((count: number) => void) | undefined;
}

/** The envelopes of a form. `keys` are those to open with; where the credential may not read the form's published keys, they are not compared. */
export interface OpenedForm extends Omit<OpenedEnvelopes, "list"> {
  readonly list: VerifiedList;
}

export interface EnvelopeReader {
  /** The organization's list, fetched, checked and remembered. Rejects with an `EnvelopeProblemError` where it may not be used. */
  loadList(options?: CallOptions): Promise<VerifiedList>;
  /**
   * Opens the envelopes of a form, and remembers them. `none`: it has none. Rejects with an `EnvelopeProblemError` where the list of members may not
   * be used, and with an `ApiError` where the server refuses.
   */
  open(formId: string, options?: CallOptions): Promise<OpenedForm | { readonly kind: "none" }>;
}

/** The list of an identity, with its bytes, and the client that opens with it. */
export interface Reading {
  /** Keeps what was seen with this identity. */
  readonly store: HeadStore;
  readonly heads: SeenHeads;
  loadList(options?: CallOptions): Promise<KnownList>;
  opener(options?: CallOptions): EnvelopeOpener;
}

/** Opens envelopes with an identity of age. Rejects with a TypeError that names the invalid option (never its value). */
export async function createEnvelopeReader(options: EnvelopeReaderOptions): Promise<EnvelopeReader> {
  return toReader(await createReading(options));
}

export function toReader(reading: Reading): EnvelopeReader {
  return {
    loadList: async (options) => (await reading.loadList(options)).list,
    async open(formId, options) {
      const id = formId as FormId; // anything else is refused by the server
      const form = { formId: id, loadList: () => reading.loadList(options) };
      const opened = await openForm(reading.opener(options), form);
      if (opened.kind === "moved_form") throw new EnvelopeProblemError("moved_form");
      return opened.kind === "none" ? opened : { ...opened, list: opened.list.list };
    },
  };
}

export async function createReading(options: EnvelopeReaderOptions): Promise<Reading> {
  const { client, kem } = options;
  const identities = parseIdentities(options.identity);
  if (identities === undefined)
    throw new TypeError("identity is not the content of an identity file: a line AGE-SECRET-KEY-PQ-1… is needed");
  const passedOn = parseList(options.list);
  const signingKey = (await parsePersonalKey(options.identity))?.signingKey;
  const recipients = new Set(await Promise.all(identities.map(recipientOf)));
  const [first = ""] = recipients;
  const store = await ofKey(options.heads, first);
  const heads = createSeenHeads(store);
  const opening = [...identities, ...(options.former ?? []).map(({ identity }) => identity)];
  return {
    store,
    heads,
    async loadList(callOptions) {
      const api = createListApi(client, callOptions);
      const source = { store, heads, api, onGivenBack: options.onGivenBack, passedOn, signingKey };
      const known = await findList(source);
      const own = [...known.list.members.values()].find(({ recipient }) => recipients.has(recipient));
      if (own === undefined) throw new EnvelopeProblemError("not_listed");
      return { ...known, own };
    },
    opener: (callOptions) => ({
      heads,
      api: createEnvelopeApi(client, callOptions),
      keyAgent: { openEnvelope: (request) => openFormEnvelope(opening, request, kem) },
    }),
  };
}

function parseList(text: string | undefined): ListHead | undefined {
  // An environment has no other way to leave it out.
  if (text === undefined || text.trim() === "") return undefined;
  const head = parseListHead(text);
  if (head === undefined) throw new TypeError("list is not the head of a list of members: NUMBER-HASH is needed");
  return head;
}
