import {
  type ComparedKeys,
  comparePublished,
  createSeenHeads,
  type EnvelopeRequest,
  type EnvelopeSource,
  type FollowedEnvelope,
  followEnvelopes,
  followList,
  type HeadStore,
  type ListHead,
  openEnvelope,
  parseIdentities,
  parsePersonalKey,
  RefusalError,
  type RefusedEnvelope,
  recipientOf,
  type SeenEnvelope,
  type SeenHeads,
  type SigningKeys,
  type Trust,
  type VerifiedList,
} from "@sealpost/envelope";
import type { FormId, Kem } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import { orNone } from "../client/or-none.ts";
import type { OpeningKey } from "../open.ts";
import { type EnvelopeProblem, EnvelopeProblemError } from "./envelope-problem.ts";
import { parseListHead } from "./list-head.ts";
import { importEnvelopeKeys } from "./opening-keys.ts";

export interface EnvelopeReaderOptions {
  /** With a credential for the forms' submissions, of all forms: the list of members is the organization's. */
  readonly client: Pick<Client, "envelopes" | "forms" | "memberList">;
  /** The content of an identity file: a program's, or an opened copy of a personal key. */
  readonly identity: string;
  /** The keys that a person's key has replaced, of `loadFormerKeys`: they open what is not sealed for it yet, and a writer continues key logs with them. */
  readonly former?: readonly SigningKeys[];
  /** Where the newest list and envelopes that were seen are remembered, for this identity alone: `createHeadFile` keeps them in a file. */
  readonly heads: HeadStore;
  /** The head of the list, `NUMBER-HASH`, that was shown when the identity's recipient was added. Needed at the first use, and checked at each. */
  readonly list?: string | undefined;
  /** For runtimes that do not know hybrid keys of forms. */
  readonly kem?: Kem | undefined;
}

/** An envelope that was opened and checked, without its private keys. */
export interface OpenedFormEnvelope extends SeenEnvelope {
  readonly keys: readonly OpeningKey[];
  /** How its writer calls the form. */
  readonly formName: string;
  /** `by`: the id of the member who has put this reader there. Without a `name`, the server does not show the one that the list commits to. */
  readonly readers: readonly { readonly id: string; readonly name: string | undefined; readonly by: string }[];
  /** The writer's clock. */
  readonly writtenAt: string;
  /** The name of the member who wrote it; `undefined` where it is missing. */
  readonly writtenBy: string | undefined;
  /** The id of the member who wrote it. */
  readonly signedBy: string;
  /** Ids of readers and writer who have left, or have other keys or fewer rights by now. */
  readonly outdated: readonly string[];
}

/** The envelopes of a form. `keys` are those to open with; where the credential may not read the form's published keys, they are not compared. */
export interface OpenedForm extends ComparedKeys<OpeningKey> {
  readonly kind: "opened";
  readonly envelopes: readonly FollowedEnvelope<OpenedFormEnvelope>[];
  /** Refused revisions whose keys are in `keys` all the same. They name an entry of a key log which the server does not show, so no revision may follow them. */
  readonly forReading: readonly FollowedEnvelope<OpenedFormEnvelope>[];
  readonly refused: readonly RefusedEnvelope[];
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

/** Opens envelopes with an identity of age. Rejects with a TypeError that names the invalid option (never its value). */
export async function createEnvelopeReader(options: EnvelopeReaderOptions): Promise<EnvelopeReader> {
  const { client, heads: store, kem } = options;
  const identities = parseIdentities(options.identity);
  if (identities === undefined)
    throw new TypeError("identity is not the content of an identity file: a line AGE-SECRET-KEY-PQ-1… is needed");
  const passedOn = parseList(options.list);
  const signingKey = (await parsePersonalKey(options.identity))?.signingKey;
  const recipients = new Set(await Promise.all(identities.map(recipientOf)));
  const heads = createSeenHeads(store);
  const opening = [...identities, ...(options.former ?? []).map(({ identity }) => identity)];

  async function loadList(callOptions?: CallOptions): Promise<VerifiedList> {
    const fetchList = () => orNone(client.memberList.get(undefined, callOptions));
    const fetchNames = () => orNone(client.memberList.names(callOptions));
    const list = await findList({ store, heads, fetchList, fetchNames, passedOn, signingKey });
    const isListed = [...list.members.values()].some(({ recipient }) => recipients.has(recipient));
    if (!isListed) throw new EnvelopeProblemError("not_listed");
    return list;
  }

  return {
    loadList,
    async open(formId, callOptions) {
      const id = formId as FormId; // anything else is refused by the server
      const [shown, known] = await Promise.all([
        client.envelopes.list(formId, callOptions),
        heads.findEnvelopes(formId),
      ]);
      if (shown.length === 0 && known.heads.length === 0) return { kind: "none" };
      let list = await loadList(callOptions);
      // Others read there: what is put into an envelope would be theirs.
      if (!(await heads.claimForm(id, list.organizationId))) throw new EnvelopeProblemError("moved_form");
      const source: EnvelopeSource<OpenedFormEnvelope> = {
        heads,
        isWary: true,
        fetchEnvelope: (_, firstVersion) => client.envelopes.getNewest(formId, firstVersion, callOptions),
        fetchPublished: () => findPublished(client, formId, callOptions),
        fetchKeyLog: () => orNone(client.forms.keyLog(formId, 1, callOptions)),
        openEnvelope: (request) => openWith(opening, request, list, kem),
        async renewList() {
          list = await loadList(callOptions);
          return true;
        },
      };
      const versions = shown.map(({ lowestVersion }) => lowestVersion);
      const followed = await followEnvelopes(source, id, versions);
      const { published, ...opened } = followed;
      const readable = [...opened.envelopes, ...opened.forReading];
      const held = readable.flatMap(({ keys }) => keys);
      const seen = readable.flatMap(({ head }) => head.keys);
      const compared = published ? comparePublished(held, published, seen) : { keys: held, otherKeys: [], missing: [] };
      return { kind: "opened", list, ...opened, ...compared };
    },
  };
}

function parseList(text: string | undefined): ListHead | undefined {
  // An environment has no other way to leave it out.
  if (text === undefined || text.trim() === "") return undefined;
  const head = parseListHead(text);
  if (head === undefined) throw new TypeError("list is not the head of a list of members: NUMBER-HASH is needed");
  return head;
}

interface ListToFind {
  readonly store: HeadStore;
  readonly heads: SeenHeads;
  fetchList(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  fetchNames(): Promise<Uint8Array<ArrayBuffer> | undefined>;
  readonly passedOn: ListHead | undefined;
  /** The key of the person whose personal key it is. */
  readonly signingKey: string | undefined;
}

const organizationName = "organization";

/**
 * The list of the organization to which a program's identity belongs: the first one that was verified. So a server can't show the list of another one,
 * in which its friends are owners. A person may be in several, in each of whose lists they have signed something.
 */
async function findList(source: ListToFind): Promise<VerifiedList> {
  const { store, heads, passedOn, signingKey } = source;
  const remembered = await store.find(organizationName);
  const known = typeof remembered === "string" && signingKey === undefined ? remembered : undefined;
  const trust: Trust | undefined = passedOn ? { head: passedOn } : signingKey ? { signingKey } : undefined;
  if (known === undefined && trust === undefined) throw new EnvelopeProblemError("not_trusted");
  const organizationId = known ?? (await findOrganization(source)) ?? String(remembered ?? "");
  const isFirst = passedOn !== undefined && (await heads.findList(organizationId)) === undefined;
  // Without `trust` there is a head, which then is what counts.
  const { fetchList, fetchNames } = source;
  const first = trust ?? { signingKey: "" };
  const followed = await followList({ organizationId, heads, fetchList, fetchNames, trust: first });
  if (followed.kind === "none") throw new EnvelopeProblemError("no_list");
  if (followed.kind === "refused")
    throw new EnvelopeProblemError(isFirst ? toFirstProblem(followed.reason) : followed.reason);
  // A program knows no signed heads: only an entry by which its key gave its place to another has been found.
  if (followed.isForReading) throw new EnvelopeProblemError("not_vouched");
  const { list } = followed;
  if (passedOn !== undefined && list.membersAt(passedOn) === undefined)
    throw new EnvelopeProblemError(passedOn.number > list.head.number ? "old_list" : "forked");
  if (known !== undefined) return list;
  let isSame = true;
  await store.change(organizationName, (before) => {
    isSame = before === undefined || before === organizationId || signingKey !== undefined;
    return isSame && before !== organizationId ? organizationId : undefined;
  });
  if (!isSame) throw new EnvelopeProblemError("other_organization");
  return list;
}

/** Nothing was seen before the first list, so what it differs from is the head that was passed on. */
function toFirstProblem(reason: EnvelopeProblem): EnvelopeProblem {
  return reason === "forked" || reason === "old_list" ? "other_list" : reason;
}

/** As the first line of the list says, which is not verified yet: it is refused where an entry is of another organization. */
async function findOrganization({ fetchList }: ListToFind): Promise<string | undefined> {
  const bytes = (await fetchList()) ?? new Uint8Array();
  try {
    const { organizationId } = JSON.parse(new TextDecoder().decode(bytes.subarray(0, Math.max(bytes.indexOf(10), 0))));
    return typeof organizationId === "string" ? organizationId : undefined;
  } catch {
    return undefined;
  }
}

/** With the identity that is a reader's, of those in one file, and of former keys. */
async function openWith(
  identities: readonly string[],
  { file, ...others }: EnvelopeRequest,
  list: VerifiedList,
  kem: Kem | undefined,
): Promise<OpenedFormEnvelope | RefusalError> {
  let refusal: RefusalError = new RefusalError("not_a_reader");
  const expected = { ...others, list };
  for (const identity of identities) {
    const opened = await openEnvelope(file, identity, expected);
    if (opened instanceof RefusalError) {
      refusal = opened;
      if (opened.reason === "not_a_reader") continue;
      return opened;
    }
    const { content, head, outdated, isByOwner } = opened;
    const { writtenAt, signedBy, formName } = content;
    const then = list.membersAt(content.list);
    const readers = content.readers.map((reader) => ({ ...reader, name: then?.get(reader.id)?.name }));
    const writtenBy = then?.get(signedBy)?.name;
    try {
      const keys = await importEnvelopeKeys(content, kem);
      const isByFormer = outdated.includes(signedBy);
      return { head, keys, formName, readers, writtenAt, writtenBy, signedBy, outdated, isByOwner, isByFormer };
    } catch (error) {
      if (error instanceof RefusalError) return error;
      throw error;
    }
  }
  return refusal;
}

/** The form's published keys; `undefined` where the credential may not read them. */
async function findPublished(client: Pick<Client, "forms">, formId: string, options: CallOptions | undefined) {
  try {
    return await client.forms.keys(formId, options);
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}
