import {
  type EnvelopeHead,
  type EnvelopeVersion,
  type FollowReason,
  type FormKey,
  findKeyLogHead,
  firstVersionOf,
  hasPlace,
  isSameRsaKey,
  keptReaders,
  RefusalError,
  type Sealing,
  type SeenKey,
  toLoggedKey,
} from "@sealpost/envelope";
import { encodeBase64Url, type FormId } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import { orNone } from "../client/or-none.ts";
import type { OpeningKey } from "../open.ts";
import { isReplaceable, mayFollow, type NotUsed, toRefusal } from "./bringable.ts";
import { toListToCheck } from "./check-list.ts";
import { createFirstEntry, createNextEntry } from "./continue-key-log.ts";
import type { EnvelopeClient, FormToSend, RotationToSend, SealingList } from "./envelope-client.ts";
import { EnvelopeProblemError, OvertakenError, UnusableListError } from "./envelope-problem.ts";
import type { EnvelopeToSeal, SealedEnvelope } from "./key-agent.ts";
import { compareKeys, type OpenedEnvelope, openOne, openRevision } from "./open-form.ts";

/** An envelope that was sent. `unread`: it could not be read back, so the keys have to be kept in another way. */
export type StoredEnvelope =
  | { readonly kind: "read"; readonly envelope: OpenedEnvelope; readonly keys: readonly OpeningKey[] }
  | { readonly kind: "unread"; readonly reason: FollowReason | "other_published_key" };

/** Keeps a sealed envelope with a new key until it was read back, so that a program that dies at any moment loses no key, and its next run finishes. */
export interface Keeper {
  begin(sealed: SealedEnvelope): Promise<void>;
  /** Nothing of it has reached the server. */
  drop(): Promise<void>;
}

interface SealOptions
  extends Pick<EnvelopeToSeal, "firstVersion" | "formName" | "keyLog" | "confirmedIds" | "after" | "earlier" | "lost"> {
  readonly readers?: Iterable<string>;
}

/**
 * The next revision, by default for the person and those who read the one before; the first one for the person alone. Rejects with a `RefusalError`, and
 * with an `EnvelopeProblemError`, `other_published_key`, where the service denies keys of the one before that were seen as the form's, or does not say which it
 * has.
 */
export async function sealRevision(
  client: Pick<EnvelopeClient, "keyAgent">,
  list: SealingList,
  formId: FormId,
  keys: readonly FormKey[],
  previous?: OpenedEnvelope,
  { readers = keptReaders(toSealing(list), previous), ...others }: SealOptions = {},
): Promise<SealedEnvelope> {
  if (previous !== undefined) requireListed(previous);
  const sealed = await client.keyAgent.sealEnvelope({
    list: toListToCheck(list),
    signerId: list.own.id,
    confirmed: list.confirmed,
    formId,
    readerIds: [...readers],
    keys,
    ...(previous?.ahead?.length && { ahead: previous.ahead }),
    ...others,
    ...(previous && { previous: { file: previous.file, head: previous.head } }),
  });
  if (sealed instanceof RefusalError) throw sealed;
  return sealed;
}

/** The person, and for whom they may seal. */
export function toSealing({ own, sealable }: Pick<SealingList, "own" | "sealable">): Sealing {
  return { writerId: own.id, sealable };
}

/** Who can't tell which keys are the form's carries none on: throws an `EnvelopeProblemError` where the service denies keys that were seen as the form's. */
export function requireListed({ isDenied }: Pick<OpenedEnvelope, "isDenied">): void {
  if (isDenied) throw new EnvelopeProblemError("other_published_key");
}

/** Creates a form together with an envelope of its key and the first entry of its key log, and reads the envelope back. `readers`: apart from the person. */
export async function createFormWithEnvelope(
  client: EnvelopeClient,
  list: SealingList,
  { readers = [], ...form }: Omit<FormToSend, "envelope" | "keyLogEntry"> & { readonly readers?: readonly string[] },
  key: FormKey,
  keeper?: Keeper,
): Promise<StoredEnvelope> {
  const { api, heads } = client;
  const { formId } = form;
  const begun = await createFirstEntry(client, list, formId, key);
  const parts = { formName: form.name, keyLog: begun.head, readers: [list.own.id, ...readers] };
  const sealed = await sealRevision(client, list, formId, [key], undefined, parts);
  const create = () => api.createForm({ ...form, envelope: sealed.file, keyLogEntry: begun.entry });
  const isAnswered = await send(client, sealed, key, create, keeper);
  // The server may have another entry of an earlier try: that one is looked at as anybody's.
  if (isAnswered) await heads.advanceKeyLog(formId, undefined, begun.head);
  return readBack(client, list, sealed.head, isAnswered);
}

/**
 * Rotates to a new key, which the next revision of the newest envelope has as well, or, where that one is full, another envelope for the same readers,
 * and reads that back. A key log gets its entry in the same request. `previous`: of `findRotatedEnvelope`. Of `refused` ones only those may be there
 * that are replaceable: the one in which the version has its place is followed without its keys, where the person has said that these may be lost. So is one that was
 * begun ahead of its time, unasked where no key of it opens. Rejects with an `OvertakenError`, and sends nothing, where another revision, other readers or other recipients were shown.
 */
export async function rotateWithEnvelope(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  rotation: Omit<RotationToSend, "envelope" | "previous" | "keyLogEntry">,
  { key, previous: newest, refused = [], shown }: KeyToAdd,
  keeper?: Keeper,
): Promise<StoredEnvelope> {
  requireListed(newest);
  if (!isSameBase(shown, findBase(list, newest))) throw new OvertakenError();
  const keyLogEntry = await createNextEntry(
    client,
    async () => list,
    formId,
    await toLoggedKey(formId, key),
    newest.head.keyLog,
  );
  const previous = hasPlace(newest.head, key.version) ? newest : undefined;
  const readers = keptReaders(toSealing(list), newest);
  const keyLog = await findKeyLogHead(keyLogEntry, newest.head, list.own);
  const firstVersion = firstVersionOf(key.version);
  const replaced = shown.envelope;
  const said = replaced?.firstVersion === firstVersion ? replaced.newest : undefined;
  // The next revision drops its keys only if somebody has said that they may be lost.
  const unsaid = said === undefined && refused.find((one) => one.firstVersion === firstVersion);
  if (unsaid) throw toRefusal(unsaid);
  const after = said ?? (previous ? undefined : await findUnasked(client, list, formId, firstVersion));
  const earlier = previous ? undefined : { file: newest.file, head: newest.head };
  const parts = { readers, keyLog, formName: newest.formName, ...(after && { after }), ...(earlier && { earlier }) };
  const sealed = await sealRevision(client, list, formId, [key], previous, parts);
  const last = findBeyond(newest.head, refused);
  const begun = last === undefined ? undefined : await findFollowed(client, formId, last, refused);
  const toSend = {
    ...rotation,
    envelope: sealed.file,
    previous: previous?.head ?? after ?? begun ?? newest.head,
    ...(keyLogEntry !== undefined && { keyLogEntry }),
  };
  const rotate = () => client.api.rotateKeys(formId, toSend);
  const isThis = await send(client, sealed, key, rotate, keeper);
  return readBack(client, list, sealed.head, isThis);
}

interface Shown extends RotationBase {
  /** Whose keys the person has agreed to lose. */
  readonly envelope?: { readonly firstVersion: number; readonly newest: EnvelopeVersion } | undefined;
}

interface KeyToAdd {
  readonly key: FormKey;
  readonly previous: OpenedEnvelope;
  readonly refused?: readonly NotUsed[];
  /** From `confirmRotation`, or `findShown`: what was shown before this is signed. */
  readonly shown: Shown;
}

/** Ids of everybody who gets a key that is added to this revision, by a rotation or otherwise, recovery keys included, in the order of the text. */
export function findReaderIds(list: SealingList, previous: OpenedEnvelope | undefined): readonly string[] {
  const recovery = [...list.list.members.values()].filter(({ role }) => role === "recovery").map(({ id }) => id);
  return [...new Set([...keptReaders(toSealing(list), previous), ...recovery])].sort();
}

/** The revision that a rotation follows, and everybody who gets its key. */
export interface RotationBase {
  readonly followed: Pick<EnvelopeHead, "firstVersion" | "revision" | "hash">;
  /** Ids of everybody who gets the new key, recovery keys included, in the order of the text. */
  readonly readerIds: readonly string[];
  /** Their recipients, in the same order. */
  readonly recipients: readonly string[];
}

/** `previous`: of `findRotatedEnvelope`. */
export function findBase(list: SealingList, previous: OpenedEnvelope): RotationBase {
  const { members } = list.list;
  const { firstVersion, revision, hash } = previous.head;
  const readerIds = findReaderIds(list, previous);
  const recipients = readerIds.map((id) => members.get(id)?.recipient ?? "");
  return { followed: { firstVersion, revision, hash }, readerIds, recipients };
}

export function isSameBase(one: RotationBase, other: RotationBase): boolean {
  const toText = ({ followed: { firstVersion, revision, hash }, readerIds, recipients }: RotationBase) =>
    JSON.stringify([firstVersion, revision, hash, readerIds, recipients]);
  return toText(one) === toText(other);
}

/** The last envelope, where that is a refused one: the service compares what a writer has seen with its newest revision. */
function findBeyond({ firstVersion }: EnvelopeHead, refused: readonly NotUsed[]): number | undefined {
  const last = refused.reduce((highest, one) => Math.max(highest, one.firstVersion), firstVersion);
  return last > firstVersion ? last : undefined;
}

async function findFollowed(
  { api }: EnvelopeClient,
  formId: FormId,
  firstVersion: number,
  refused: readonly NotUsed[],
): Promise<EnvelopeVersion | undefined> {
  const replaced = refused.find((one) => one.firstVersion === firstVersion && isReplaceable(one));
  const fetched = replaced && (await api.fetchEnvelope(formId, firstVersion));
  if (replaced === undefined || fetched === undefined) return undefined;
  if (!mayFollow(fetched, undefined)) throw toRefusal(replaced);
  return { revision: fetched.revision, hash: await hashOf(fetched.file) };
}

/** An envelope that was begun ahead of its time, and has no key that opens here. */
async function findUnasked(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  firstVersion: number,
): Promise<EnvelopeVersion | undefined> {
  const begun = await findBegunAhead(client, list, formId, firstVersion);
  // It has come since the person was asked.
  if (begun !== undefined && begun.versions.length > 0) throw new OvertakenError();
  return begun;
}

interface BegunAhead extends EnvelopeVersion {
  /** Its keys that open here: the service may have denied them. */
  readonly versions: readonly number[];
}

/** The newest revision of an envelope that was begun ahead of its time, and is reached by the version that is made now: no published key has its place in it. */
export async function findBegunAhead(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  firstVersion: number,
): Promise<BegunAhead | undefined> {
  const { api } = client;
  const isBegun = (await api.listEnvelopes(formId)).includes(firstVersion);
  const fetched = isBegun ? await api.fetchEnvelope(formId, firstVersion) : undefined;
  if (fetched === undefined) return undefined;
  // Otherwise somebody has rotated since the form was opened.
  const published = await api.fetchKeys(formId);
  if (published.some(({ version }) => version >= firstVersion)) throw new OvertakenError();
  if (!mayFollow(fetched, undefined)) throw toRefusal({ reason: "wrong_revision" });
  const request = { ...fetched, formId, firstVersion, isForgotten: true };
  const seen = await openRevision(client, { known: list, loadList: () => client.loadList() }, request);
  const versions = seen instanceof RefusalError ? [] : seen.head.keys.map(({ version }) => version);
  return { revision: fetched.revision, hash: await hashOf(fetched.file), versions };
}

export async function hashOf(file: Uint8Array<ArrayBuffer>): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", file)));
}

/**
 * Whether it was answered. Where it failed, and yet the key is there, now or by an earlier try, only the answer was lost. Rejects with what asking for that
 * failed by, if it did: then nobody knows.
 */
async function send(
  { api }: EnvelopeClient,
  sealed: SealedEnvelope,
  { version, fingerprint }: FormKey,
  work: () => Promise<unknown>,
  keeper: Keeper | undefined,
): Promise<boolean> {
  await keeper?.begin(sealed);
  try {
    await work();
    return true;
  } catch (error) {
    if (await isPublished({ api }, sealed.head.formId, { version, fingerprint })) return false;
    // The server itself, not a proxy, has refused, and says that it does not have it.
    if (error instanceof ApiError && error.status < 500 && error.reason !== undefined) await keeper?.drop();
    throw error;
  }
}

/** Whether the server publishes this key for the form. */
export async function isPublished(
  { api }: Pick<EnvelopeClient, "api">,
  formId: FormId,
  { version, fingerprint }: Pick<SeenKey, "version" | "fingerprint">,
): Promise<boolean> {
  const published = (await orNone(api.fetchKeys(formId))) ?? [];
  return published.some((key) => key.version === version && key.fingerprint === fingerprint);
}

/** Stores a sealed revision without a new key after `previous`, and reads it back: it counts from then on. Rejects with an `UnreadRevisionError`. */
export async function storeRevision(
  client: EnvelopeClient,
  known: SealingList,
  { file, head }: SealedEnvelope,
  previous: EnvelopeVersion,
): Promise<OpenedEnvelope> {
  const { formId, firstVersion } = head;
  await client.api.storeEnvelope(formId, firstVersion, file, previous);
  const stored = await openOne(client, { formId, known, loadList: () => client.loadList() }, firstVersion, head);
  if ("reason" in stored) throw new UnreadRevisionError(stored.reason);
  return stored;
}

/** The server took a revision, and it can't be read back. */
export class UnreadRevisionError extends EnvelopeProblemError {
  readonly reason: FollowReason;

  constructor(reason: FollowReason) {
    super(reason);
    this.reason = reason;
  }
}

/** The keys that were sent, each with its seed: they have to come back. */
export type SentEnvelope = Pick<EnvelopeHead, "formId"> & {
  readonly keys: readonly Pick<SeenKey, "version" | "fingerprint" | "seedHash">[];
};

/**
 * `isThis`: the server has taken this very file. Otherwise it may have one of an earlier try, with the same keys. A server that now refuses to
 * give it back has lost it: nobody lets go of the keys because of that answer.
 */
export function readBack(
  client: EnvelopeClient,
  list: SealingList,
  sent: EnvelopeHead,
  isThis = true,
): Promise<StoredEnvelope> {
  return findStored(client, list, sent, isThis ? sent : undefined);
}

/** The same for an envelope of which this run may know the keys alone. `stored`: its head, where it does. */
export async function findStored(
  client: EnvelopeClient,
  list: SealingList,
  sent: SentEnvelope,
  stored?: EnvelopeHead,
): Promise<StoredEnvelope> {
  const { formId } = sent;
  const firstVersion = firstVersionOf(sent.keys.reduce((highest, { version }) => Math.max(highest, version), 1));
  const form = { formId, known: list, loadList: () => client.loadList() };
  try {
    const envelope = await openOne(client, form, firstVersion, stored);
    if ("reason" in envelope) return { kind: "unread", reason: envelope.reason };
    const hasKey = (key: SentEnvelope["keys"][number]) => envelope.head.keys.some((one) => isSameRsaKey(key, one));
    if (!sent.keys.every(hasKey)) return { kind: "unread", reason: "lost_envelope" };
    const { keys, otherKeys } = await compareKeys(client, formId, [envelope]);
    return otherKeys.length > 0 ? { kind: "unread", reason: "other_published_key" } : { kind: "read", envelope, keys };
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { kind: "unread", reason: "lost_envelope" };
    // The list that it names could not be had. The key is in use already, and has to be kept.
    if (error instanceof UnusableListError) return { kind: "unread", reason: "unknown_list" };
    throw error;
  }
}
