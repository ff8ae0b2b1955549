import {
  type ComparedKeys,
  comparePublished,
  type EnvelopeHead,
  type EnvelopeRequest,
  type EnvelopeSource,
  type FetchedEnvelope,
  type FollowedEnvelope,
  findSigningKeys,
  followEnvelope,
  followEnvelopes,
  openRevision as openOneRevision,
  type PublishedKey,
  type RefusalError,
  type RefusedEnvelope,
} from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import type { OpeningKey } from "../open.ts";
import { toListToCheck } from "./check-list.ts";
import type { EnvelopeClient, EnvelopeOpener, KnownList } from "./envelope-client.ts";
import type { EnvelopeSeen } from "./key-agent.ts";
import { searchRevisions } from "./search-revisions.ts";

export type OpenedEnvelope = FollowedEnvelope<EnvelopeSeen>;

/** The envelopes of a form, opened as far as they may be. Nothing of a refused one is used but what is in `forReading`. */
export interface OpenedEnvelopes<List extends KnownList = KnownList> extends ComparedKeys<OpeningKey> {
  readonly kind: "opened";
  readonly envelopes: readonly OpenedEnvelope[];
  /** Versions in `keys` that are not published for this device, whatever the service lists: they prove nothing about the form's keys. */
  readonly unproved: readonly number[];
  /** Versions next to which an envelope has another hybrid key or seed than the form's key log names: the right one may be put in. */
  readonly otherThanLogged: readonly number[];
  /**
   * First versions of envelopes that were opened here before, where the service did not say which keys the form has. That is forgotten, and they are seen for the first
   * time; a person is to be shown so until they know (`noteKnown`).
   */
  readonly seenAgain: readonly number[];
  /** Refused revisions whose keys are in `keys` all the same, though no revision may follow them: the reasons are in SPECIFICATION.md section 15. */
  readonly forReading: readonly OpenedEnvelope[];
  readonly refused: readonly RefusedEnvelope[];
  /** The list by which they were opened, the newest that was loaded meanwhile. */
  readonly list: List;
}

/** As much of an opened form as the next revisions follow from. */
export interface FormToWrite<List extends KnownList> extends Pick<OpenedEnvelopes<List>, "envelopes" | "list"> {
  readonly refused: readonly unknown[];
}

/** `none`: the form has no envelope. `moved_form`: it was seen in another organization, where others read; nothing of it is opened. */
export type FormOpening<List extends KnownList = KnownList> =
  | OpenedEnvelopes<List>
  | { readonly kind: "none" }
  | { readonly kind: "moved_form"; readonly list: List };

export interface FormToOpen<List extends KnownList> {
  readonly formId: FormId;
  /** Where it is known before the list is: a form that was seen in another one is not asked about further. */
  readonly organizationId?: string;
  /** Fetches the organization's list and checks it; rejects where it may not be used. Called again where a writer had a newer one. */
  loadList(): Promise<List>;
  /** The list that was loaded a moment ago. */
  readonly known?: List | undefined;
  /**
   * The hash of a revision that is refused as `former_writer`, and good for reading, of which a person was shown who has signed it, its versions and its readers, and
   * has said that these are right: it is remembered, and others follow it. Another revision is refused as before.
   */
  readonly lookedAt?: string | undefined;
}

/** Opens the envelopes of a form, remembers them, and compares their keys with those that the server publishes. */
export async function openForm<List extends KnownList>(
  client: EnvelopeOpener,
  { formId, organizationId, loadList, known, lookedAt }: FormToOpen<List>,
): Promise<FormOpening<List>> {
  const { api, heads } = client;
  const [versions, seen] = await Promise.all([api.listEnvelopes(formId), heads.findEnvelopes(formId)]);
  const isMoved = organizationId !== undefined && !(await heads.isFormOf(formId, organizationId));
  const isExpected = [...seen.heads, ...(seen.unlisted ?? [])].length > 0 && !seen.isRemoved;
  if (!isMoved && versions.length === 0 && !isExpected) {
    if (organizationId !== undefined) await heads.claimForm(formId, organizationId);
    return { kind: "none" };
  }
  const list = known ?? (await loadList());
  // Others read there: what is put into an envelope would be theirs.
  if (!(await heads.isFormOf(formId, list.list.organizationId))) return { kind: "moved_form", list };
  const isDropped = await dropIfAside(heads, formId, list);
  if (isDropped && versions.length === 0) {
    await heads.claimForm(formId, list.list.organizationId);
    return { kind: "none" };
  }
  const { source, current } = createSource(client, list, loadList, lookedAt);
  const { published, ...opened } = await followEnvelopes(source, formId, versions);
  // Now that it is known whether all of it is kept apart.
  await heads.claimForm(formId, list.list.organizationId);
  const { seenAgain = [] } = await heads.findEnvelopes(formId);
  const compared = compare([...opened.envelopes, ...opened.forReading], published);
  const unproved = [...opened.envelopes, ...opened.forReading].flatMap((envelope) => envelope.unproved ?? []);
  const otherThanLogged = opened.envelopes.flatMap((envelope) => envelope.otherThanLogged ?? []);
  return { kind: "opened", ...opened, ...compared, unproved, otherThanLogged, seenAgain, list: current() };
}

/**
 * What was seen of a form by a list that a person has put aside since is put aside with it: who left after that, by the list of now, is counted by numbers of
 * entries of that one. No other list can do that: each contains the one before.
 */
async function dropIfAside(heads: EnvelopeOpener["heads"], formId: FormId, { list }: KnownList): Promise<boolean> {
  const aside = await heads.findForgottenLists(list.organizationId);
  if (aside.length === 0) return false;
  const last = aside.reduce((highest, { number }) => Math.max(highest, number), 0);
  const { heads: known, unlisted = [] } = await heads.findEnvelopes(formId);
  const seen = [...known, ...unlisted].filter((head) => head.organizationId === list.organizationId);
  const isAside = seen.some((head) => head.list.number <= last && list.membersAt(head.list) === undefined);
  if (isAside) await heads.dropEnvelopes(formId);
  return isAside;
}

/** Opens one of the form's envelopes, and remembers its head. `stored`: the one that was sent just now. */
export function openOne<List extends KnownList>(
  client: EnvelopeOpener,
  { formId, loadList, known }: FormToOpen<List> & { readonly known: List },
  firstVersion: number,
  stored?: EnvelopeHead,
): Promise<OpenedEnvelope | RefusedEnvelope> {
  return followEnvelope(createSource(client, known, loadList).source, formId, firstVersion, stored && { stored });
}

/** A revision that is looked at, and not remembered. */
export function openRevision<List extends KnownList>(
  client: EnvelopeOpener,
  { loadList, known }: Pick<FormToOpen<List>, "loadList"> & { readonly known: List },
  request: EnvelopeRequest,
): Promise<EnvelopeSeen | RefusalError> {
  return openOneRevision(createSource(client, known, loadList).source, request);
}

/** Which keys of these envelopes are the form's. */
export async function compareKeys(
  { api }: Pick<EnvelopeClient, "api">,
  formId: FormId,
  envelopes: readonly OpenedEnvelope[],
): Promise<ComparedKeys<OpeningKey>> {
  return compare(envelopes, await api.fetchKeys(formId));
}

/** Where the published keys may not be read, nothing is compared. */
function compare(
  envelopes: readonly OpenedEnvelope[],
  published: readonly PublishedKey[] | undefined,
): ComparedKeys<OpeningKey> {
  const held = envelopes.flatMap(({ keys }) => keys);
  const seen = envelopes.flatMap(({ head }) => head.keys);
  return published ? comparePublished(held, published, seen) : { keys: held, otherKeys: [], missing: [] };
}

function createSource<List extends KnownList>(
  { heads, api, keyAgent }: EnvelopeOpener,
  list: List,
  loadList: () => Promise<List>,
  lookedAt?: string,
): { readonly source: EnvelopeSource<EnvelopeSeen>; readonly current: () => List } {
  let newest = list;
  const source: EnvelopeSource<EnvelopeSeen> = {
    heads,
    findOlder: (formId, firstVersion, revision) => findOlder(api, formId, firstVersion, revision),
    findOwnersKeys: () => findOwnersKeys(newest),
    isOwn: ({ writtenBy }) => writtenBy.id === newest.own?.id,
    isBy: ({ writtenBy }, ids) => ids.has(writtenBy.id),
    lookedAt,
    fetchEnvelope: (formId, firstVersion, revision) => api.fetchEnvelope(formId, firstVersion, revision),
    fetchPublished: (formId) => orForbidden(api.fetchKeys(formId)),
    fetchKeyLog: (formId) => api.fetchKeyLog(formId),
    openEnvelope: (request) => keyAgent.openEnvelope({ ...request, list: toListToCheck(newest) }),
    async renewList() {
      newest = await loadList();
      return true;
    },
  };
  return { source, current: () => newest };
}

/** So many revisions below a first sight are opened, to find who else has had its keys. */
const olderMax = 64;

async function* findOlder(
  api: Pick<EnvelopeClient["api"], "fetchEnvelope" | "listRevisions">,
  formId: FormId,
  firstVersion: number,
  below: number,
): AsyncGenerator<FetchedEnvelope> {
  const search = searchRevisions(api, formId, firstVersion, {});
  let tried = 0;
  for (;;) {
    // Who may not list them opens the form all the same.
    const { value, done } = (await orForbidden(search.revisions.next())) ?? { done: true, value: undefined };
    if (done || value === undefined) return;
    if (value.revision >= below) continue;
    const fetched = await api.fetchEnvelope(formId, firstVersion, value.revision);
    if (fetched?.revision === value.revision) yield fetched;
    search.miss(value);
    if (++tried === olderMax) return;
  }
}

function findOwnersKeys({ list }: KnownList): ReadonlySet<string> {
  const owners = [...list.members.values()].filter(({ role }) => role === "owner");
  // Who has replaced a key, or came back by paper, has signed with the one before.
  return new Set(owners.flatMap(({ id }) => [...findSigningKeys(list, id)]));
}

async function orForbidden<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return undefined;
    throw error;
  }
}
