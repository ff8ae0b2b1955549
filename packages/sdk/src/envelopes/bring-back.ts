import {
  type CountingLog,
  type EnvelopeHead,
  type EnvelopeRequest,
  type EnvelopeVersion,
  type FetchedEnvelope,
  findAhead,
  findCountingLog,
  findHead,
  findLoggedVersion,
  findNamedLog,
  findOthers,
  firstVersionOf,
  isAboveProven,
  isAfterGap,
  isListedIn,
  isNamedIn,
  isSameRsaKey,
  keptReaders,
  lacksNamed,
  type PublishedKey,
  RefusalError,
  type SeenForm,
  type SeenKey,
  type SignedRevision,
  settleLogged,
  withCurrentLog,
} from "@sealpost/envelope";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import { isReplaceable, mayFollow, type NotUsed } from "./bringable.ts";
import { toListToCheck } from "./check-list.ts";
import { followFormKeyLog } from "./continue-key-log.ts";
import type { EnvelopeClient, ListedRevision, SealingList, StoredRevision } from "./envelope-client.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import { findHeldKeys, nameFollowedLog } from "./held-key.ts";
import type { RevisionToRead } from "./key-agent.ts";
import { type OpenedEnvelope, openRevision } from "./open-form.ts";
import {
  type Search,
  type SearchOptions,
  searchRevisions,
  triesMax,
  UnfinishedSearchError,
  walkRevisions,
} from "./search-revisions.ts";
import { hashOf, readBack, type StoredEnvelope, sealRevision, toSealing } from "./store-envelope.ts";

/** Keys and readers that can be brought back into an envelope whose newest revision is refused. */
export interface Bringable {
  readonly newest: StoredRevision & EnvelopeVersion;
  /** The newest revision before it that opens. */
  readonly older: OpenedEnvelope;
  /** The newest one where nothing but keys that were seen is wrong with it: it stays, and gets them back. */
  readonly kept?: OpenedEnvelope;
  /** Ids of the readers of the next revision, without recovery keys and without readers who come back (`difference`). */
  readonly readerIds: readonly string[];
  /** How the next revision differs from the newest one, where that says who reads, and is not continued. */
  readonly difference?: Difference;
  /** Published versions that have their place in it, and whose keys will not be in it. */
  readonly missing: readonly number[];
  /** Somebody may have taken the person out on purpose. */
  readonly takenOut?: TakenOut;
}

/** Somebody may have been taken out by the newest revision, even if its signer writes no longer: what was before it would bring them back. */
export interface Difference {
  /** Ids of readers of the older revision who are not in the newest one: they read again only if the person says so of each. */
  readonly returningIds: readonly string[];
  /** Ids of members who read the newest one, and will not read the next. */
  readonly leavingIds: readonly string[];
  /** Versions that the newest one lacks, or has with another key or seed. */
  readonly returningVersions: readonly number[];
  /** Versions whose key, or seed, in the newest one will not be in the next. */
  readonly leavingVersions: readonly number[];
}

/**
 * The first revision above the older one that is not accounted for: it may have taken the person out. Nobody signs who stored it, and when: that is the
 * service's word.
 */
export interface TakenOut {
  readonly revision: number;
  /**
   * `not_for_them`: no stanza opens with their key. `unsigned`: no right signature was found in what the service shows. `by_others`: its signer may not write by now, or does
   * not read the older revision. `not_shown`: nor was it tried.
   */
  readonly why: "not_for_them" | "unsigned" | "by_others" | "not_shown";
  /** Where the service lists it. */
  readonly createdAt?: number;
  readonly writerId?: string;
  /** Ids of others in the list who are owners, and readers of the older revision: while there is one, a manager does not bring back. */
  readonly ownerIds: readonly string[];
}

/**
 * Finds the newest older revision that opens with the person's key, from the newest that this device has seen on. Where it has seen none, one that lacks a
 * published key is found only if nothing else opens. `undefined`: there is none. Of a sender whose revisions don't open, many are tried after those of others
 * only: where one of these has all published keys, it is found instead. Rejects with an `UnfinishedSearchError`.
 */
export async function findBringable(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  firstVersion: number,
  { isThorough = false }: SearchOptions = {},
): Promise<Bringable | undefined> {
  const { api, heads } = client;
  const seen = (await heads.findEnvelopes(formId)).heads;
  const last = findHead(seen, firstVersion);
  const remembered = last && (await withCurrentLog(heads, last));
  const stored = await api.findNewest(formId, firstVersion);
  const shown = stored && (await api.fetchEnvelope(formId, firstVersion, stored.revision));
  if (stored === undefined || shown === undefined || !mayFollow(stored, remembered)) return undefined;
  const published = await api.fetchKeys(formId);
  // Nobody can tell keys ahead of their time from the others.
  if (published.length === 0) throw new EnvelopeProblemError("other_published_key");
  const own = published.filter(({ version }) => firstVersionOf(version) === firstVersion);
  const displaced = remembered === undefined ? [] : own.filter((one) => isDisplaced(remembered, one));
  // A head with another key in the place of the form's says nothing about the revisions before it.
  const head = displaced.length > 0 ? undefined : remembered;
  const open = (fetched: FetchedEnvelope, seenOf: SeenForm) =>
    tryRevision(client, list, { ...fetched, formId, firstVersion, published, ...seenOf });
  const form: SeenForm = {
    ...(head && { newest: head }),
    others: await Promise.all(findOthers(firstVersion, seen).map((one) => withCurrentLog(heads, one))),
    loggedVersion: await findLoggedVersion(
      { heads, fetchKeyLog: api.fetchKeyLog },
      { formId, firstVersion },
      published,
      seen,
    ),
  };
  const opened = await open(shown, form);
  const findSignedOf = (fetched: FetchedEnvelope, seen: OpenedEnvelope | RefusalError) =>
    findSigned(client, seen, {
      ...{ ...fetched, formId, firstVersion, list: toListToCheck(list) },
      ...(head && { newest: head }),
    });
  const said = await findSignedOf(shown, opened);
  const looked = new Map<number, Outcome>([[stored.revision, toOutcome(opened, said)]]);
  // An owner's, and what it asks of those who do not understand it is for an owner to take back.
  const isNewer = opened instanceof RefusalError && opened.reason === "unknown_extension";
  if (isNewer && list.own.role !== "owner") return undefined;
  // With keys missing, whatever was seen or is published of them: they are compared at last, so nothing else refuses it.
  const lacking: SeenForm = { ...form, ...(head && { newest: { ...head, keys: [] } }), isForgotten: true };
  const isContinued =
    opened instanceof RefusalError
      ? opened.reason === "key_missing"
      : !isAfterGap(opened, head) && (await isLogged(client, opened, form));
  const isWhole = ({ keys }: OpenedEnvelope) => own.every((one) => hasKey(keys, one));
  let unshown: KeyLogHead | undefined;
  const tryOne = async (revision: number): Promise<Found | undefined> => {
    const fetched = await api.fetchEnvelope(formId, firstVersion, revision);
    const strict = fetched && (await open(fetched, form));
    const isLacking = head === undefined && strict instanceof RefusalError && strict.reason === "key_missing";
    if (fetched?.revision === revision && strict !== undefined)
      looked.set(revision, toOutcome(strict, await findSignedOf(fetched, strict)));
    const older = isLacking ? await open(fetched as FetchedEnvelope, { ...form, isForgotten: true }) : strict;
    if (older === undefined || older instanceof RefusalError) return undefined;
    if (older.head.revision !== revision || !isUsable(older, head) || isAfterGap(older, head)) return undefined;
    if (!displaced.every((one) => hasKey(older.keys, one))) return undefined;
    if (await isLogged(client, older, form))
      return { older, isLacking: isLacking || (await lacksLogged(client, older, head)) };
    unshown ??= older.head.keyLog ?? undefined;
    return undefined;
  };
  const lowest = head?.revision ?? 1;
  const found = await findOlder({
    search: searchRevisions(api, formId, firstVersion, { isThorough }),
    isBetween: ({ revision }) => revision >= lowest && revision < stored.revision,
    ...{ tryOne, isWhole, firstVersion, triesMax: isThorough ? Number.POSITIVE_INFINITY : triesMax },
    ...(head && head.revision < stored.revision && { seen: head.revision }),
  });
  // A person may know that it was given up, and say so: then it is found the next time.
  if (found === undefined && unshown !== undefined) await heads.noteUnshown(formId, { firstVersion, keyLog: unshown });
  if (found === undefined) return undefined;
  const log = await findCountingLog({ heads, fetchKeyLog: api.fetchKeyLog }, formId, found.older.head.keyLog);
  const proven = toProven(found.older, head, { published, log });
  const newest = { revision: stored.revision, createdAt: stored.createdAt, hash: await hashOf(shown.file) };
  const whole = isContinued
    ? toKept(await open(shown, lacking), proven, stored.revision, { seen: head, log })
    : undefined;
  const kept = whole && { ...whole, ahead: findAheadOf(whole, head, { published, log }) };
  const overtaken = whole === undefined ? [] : findOvertaken(proven, whole, { published, log });
  const older = { ...proven, ahead: [...proven.ahead, ...overtaken] };
  const isCarried = ({ keyVersion = 0 }: OpenedEnvelope["keys"][number]) => !older.ahead.includes(keyVersion);
  const keys = [...(kept?.keys ?? []), ...older.keys.filter(isCarried)];
  const missing = own.filter((one) => !hasKey(keys, one)).map(({ version }) => version);
  const from = kept ?? older;
  // A manager's revision that was refused says of nobody that they may read, nor with which key.
  const hasRead = ({ id, fingerprint }: OpenedEnvelope["readers"][number]) =>
    !older.outdated.includes(id) && older.readers.some((one) => one.id === id && one.fingerprint === fingerprint);
  const reading = from.isByOwner ? from.readers : from.readers.filter(hasRead);
  const known = new Set(reading.map(({ id }) => id)).add(list.own.id);
  const allIds = [...keptReaders(toSealing(list), from)].filter((id) => known.has(id));
  const difference =
    kept === undefined && said?.readers !== undefined
      ? findDifference(list, { ...said, readers: said.readers }, { ...older, readerIds: allIds })
      : undefined;
  const readerIds = allIds.filter((id) => !difference?.returningIds.includes(id));
  const isHead = remembered?.revision === newest.revision && remembered.hash === newest.hash;
  const first = kept === undefined && !isHead ? findUnaccounted(looked, older, newest.revision) : undefined;
  const takenOut = first && {
    ...(await findListed(api, older.head, first)),
    ...{ why: first.why, ownerIds: findOwnerIds(list, older) },
  };
  const parts = { newest, older, ...(kept && { kept }), readerIds, missing };
  return { ...parts, ...(difference && { difference }), ...(takenOut && { takenOut }) };
}

/** Whatever a revision is refused for, if its signature is right. */
async function findSigned(
  { keyAgent }: EnvelopeClient,
  opened: OpenedEnvelope | RefusalError,
  request: RevisionToRead,
): Promise<SignedRevision | undefined> {
  if (opened instanceof RefusalError) {
    const signed = opened.reason === "not_a_reader" ? opened : await keyAgent.readSigned(request);
    return signed instanceof RefusalError ? undefined : signed;
  }
  const { writtenBy, isByFormer, readers, head } = opened;
  return { signedBy: writtenBy.id, isByWriter: !isByFormer, readers: readers.map(({ id }) => id), keys: head.keys };
}

function findDifference(
  { list, own }: SealingList,
  newest: Required<SignedRevision>,
  { head, ahead = [], readerIds }: OpenedEnvelope & Pick<Bringable, "readerIds">,
): Difference {
  const reads = new Set(newest.readers);
  const returningIds = readerIds.filter((id) => !reads.has(id) && id !== own.id);
  const isLeaving = (id: string) => {
    const member = list.members.get(id);
    return member !== undefined && member.role !== "recovery" && !readerIds.includes(id);
  };
  const next = { ...head, keys: head.keys.filter(({ version }) => !ahead.includes(version)) };
  const versionsOf = (keys: readonly SeenKey[]) => keys.map(({ version }) => version);
  return {
    returningIds,
    leavingIds: [...reads].filter(isLeaving),
    returningVersions: versionsOf(lacking(next, newest)),
    leavingVersions: versionsOf(lacking(newest, next)),
  };
}

/** It is of this number, and by a member, whatever else it is refused for; or why nobody knows. */
type Outcome = SignedRevision | "not_for_them" | "unsigned";

function toOutcome(opened: OpenedEnvelope | RefusalError, signed: SignedRevision | undefined): Outcome {
  const isForThem = !(opened instanceof RefusalError) || opened.reason !== "not_a_reader";
  return signed ?? (isForThem ? "unsigned" : "not_for_them");
}

/** The service chooses which bytes it shows: what took the person out may come as damaged ones, or not at all. */
function findUnaccounted(
  looked: ReadonlyMap<number, Outcome>,
  { head, readers }: OpenedEnvelope,
  newest: number,
): Pick<TakenOut, "revision" | "why"> | undefined {
  const isReader = (signer: string) => readers.some(({ id }) => id === signer);
  for (let revision = head.revision + 1; revision <= newest; revision++) {
    const outcome = looked.get(revision) ?? "not_shown";
    if (typeof outcome === "string") return { revision, why: outcome };
    // Somebody who was removed, or never read the form, can sign anything that the service shows in its place.
    if (!outcome.isByWriter || !isReader(outcome.signedBy)) return { revision, why: "by_others" };
  }
  return undefined;
}

async function findListed(
  api: EnvelopeClient["api"],
  { formId, firstVersion }: EnvelopeHead,
  { revision }: Pick<TakenOut, "revision">,
): Promise<Omit<TakenOut, "ownerIds" | "why">> {
  for await (const one of walkRevisions(api, formId, firstVersion)) {
    if (one.revision < revision) break;
    if (one.revision === revision) return one;
  }
  return { revision };
}

/** Other owners who read this revision with the recipient that the list has for them. */
function findOwnerIds({ list, own }: SealingList, { readers, outdated }: OpenedEnvelope): readonly string[] {
  return readers
    .map(({ id }) => id)
    .filter((id) => id !== own.id && list.members.get(id)?.role === "owner" && !outdated.includes(id));
}

interface Found {
  readonly older: OpenedEnvelope;
  /** It lacks published keys, and nobody but a manager says that they are not needed: anyone could have put it above others. */
  readonly isLacking: boolean;
}

interface OlderToFind {
  readonly search: Search;
  readonly firstVersion: number;
  readonly triesMax: number;
  /** The revision that was seen: it is tried at last, whatever the server lists. */
  readonly seen?: number;
  isBetween(one: ListedRevision): boolean;
  tryOne(revision: number): Promise<Found | undefined>;
  isWhole(older: OpenedEnvelope): boolean;
}

/** The newest that opens; one with all published keys is taken at once, although others that were put off may be newer. */
async function findOlder({ search, seen, ...to }: OlderToFind): Promise<Found | undefined> {
  let tries = 0;
  let best: Found | undefined;
  let lacking: Found | undefined;
  const isNewer = (revision: number, than: Found | undefined) =>
    than === undefined || revision > than.older.head.revision;
  for await (const one of search.revisions) {
    const { revision } = one;
    if (!to.isBetween(one) || !isNewer(revision, best)) continue;
    if (tries === to.triesMax) {
      const last = seen === undefined ? undefined : await to.tryOne(seen);
      if (last !== undefined && to.isWhole(last.older)) return last;
      throw new UnfinishedSearchError(to.firstVersion, tries);
    }
    tries++;
    const found = await to.tryOne(revision);
    if (found === undefined) search.miss(one);
    else if (to.isWhole(found.older)) return found;
    else if (!found.isLacking) best = found;
    else if (isNewer(revision, lacking)) lacking = found;
  }
  if (best === undefined && seen === undefined && search.isCut())
    throw new UnfinishedSearchError(to.firstVersion, tries);
  return best ?? (seen === undefined ? undefined : await to.tryOne(seen)) ?? lacking;
}

/** The first of these refusals out of which a rotation does not get the form, or by which a rotation would lose keys that can be brought back. */
export async function findStuck(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  refused: readonly NotUsed[],
  options?: SearchOptions,
): Promise<NotUsed | undefined> {
  for (const one of refused)
    if (
      !(await isFollowed(client, formId, one)) ||
      (await findBringable(client, list, formId, one.firstVersion, options)) !== undefined
    )
      return one;
  return undefined;
}

/** Whether a rotation to a version of this envelope follows what the server has of it. */
async function isFollowed({ api }: EnvelopeClient, formId: FormId, refused: NotUsed): Promise<boolean> {
  if (!isReplaceable(refused)) return false;
  const stored = await api.findNewest(formId, refused.firstVersion);
  return stored === undefined || mayFollow(stored, undefined);
}

export interface BringingBack {
  /** The ids in `returningIds` that the person has let back in; the others are left out. */
  readonly returningIds?: readonly string[] | undefined;
}

/**
 * Writes the revision that follows the server's newest, and reads it back. Others who have it may see no key of theirs gone unnoticed. Rejects with an
 * `EnvelopeProblemError`, `owner_needed`, where a manager may have been taken out on purpose, and an owner can say so.
 */
export async function bringBack(
  client: EnvelopeClient,
  list: SealingList,
  { newest, older, kept, readerIds, difference, takenOut }: Bringable,
  { returningIds = [] }: BringingBack = {},
): Promise<StoredEnvelope> {
  if (takenOut !== undefined && list.own.role !== "owner" && findOwnerIds(list, older).length > 0)
    throw new EnvelopeProblemError("owner_needed");
  const { formId } = older.head;
  const before = (kept ?? older).head;
  const followed = await followFormKeyLog(client, formId, before.keyLog);
  const { keyLog } = nameFollowedLog(before, followed, list, findHeldKeys(kept ? [kept, older] : [older]));
  const { file, head, ahead = [] } = older;
  const from = kept ? { lost: { file, head, ahead } } : { after: newest };
  const returning = returningIds.filter((id) => difference?.returningIds.includes(id));
  const parts = { readers: [...readerIds, ...returning], keyLog, ...from };
  const sealed = await sealRevision(client, list, formId, [], kept ?? older, parts);
  await client.api.storeEnvelope(formId, older.firstVersion, sealed.file, newest);
  return readBack(client, list, sealed.head);
}

/** Whether a device has seen another key of a version than the service publishes, which it denied then: anybody who writes can have put that one there. */
function isDisplaced({ keys }: EnvelopeHead, { version, fingerprint }: PublishedKey): boolean {
  return keys.some((key) => key.version === version && key.fingerprint !== fingerprint && !key.isPublished);
}

/**
 * First versions of the envelopes that opened, and have another key than the service publishes. Where a revision before has the published one, it can be brought back:
 * somebody who writes has put another one there while the service denied the form's own.
 */
export function findDisplaced({
  envelopes,
  otherKeys,
}: {
  readonly envelopes: readonly { readonly firstVersion: number }[];
  readonly otherKeys: readonly number[];
}): readonly number[] {
  const opened = new Set(envelopes.map(({ firstVersion }) => firstVersion));
  return [...new Set(otherKeys.map(firstVersionOf))].filter((firstVersion) => opened.has(firstVersion));
}

/** Which keys are the form's, by the service's list and by the key log that counts. */
interface KeysOfForm {
  readonly published: readonly PublishedKey[];
  readonly log: CountingLog;
}

/** It was opened with nothing of what was seen of its keys: those that were seen as published stay. */
function findAheadOf(
  { head }: OpenedEnvelope,
  seen: EnvelopeHead | undefined,
  { published, log }: KeysOfForm,
): readonly number[] {
  const wasPublished = (key: SeenKey) => seen?.keys.some((one) => one.isPublished && isSameRsaKey(one, key)) === true;
  const keys = head.keys.map((key) => ({ ...key, isPublished: key.isPublished || wasPublished(key) }));
  return findAhead({ keys }, published, log);
}

/**
 * Without the keys that this device has seen there and never as published, above all that were: whatever the service lists by now, somebody may have put them there
 * ahead of their time. A head that has none as published says nothing of that.
 */
function toProven(
  older: OpenedEnvelope,
  seen: EnvelopeHead | undefined,
  { published, log }: KeysOfForm,
): OpenedEnvelope & { readonly ahead: readonly number[] } {
  const isUnproven = (key: SeenKey) =>
    seen !== undefined &&
    !isBlank(seen) &&
    !isNamedIn(log, key) &&
    isAboveProven(seen, key) &&
    seen.keys.some((one) => isSameRsaKey(one, key) && !one.isPublished);
  const keys = older.head.keys.map((key) => (isUnproven(key) ? { ...key, isPublished: false } : key));
  const unproven = keys.filter(isUnproven).map(({ version }) => version);
  const ahead = [...new Set([...unproven, ...findAhead({ keys }, published, log)])];
  const { asLogged } = older;
  return { ...older, head: settleLogged({ ...older.head, keys }, { before: seen, log, asLogged }), ahead };
}

/** Whether this device has seen none of its keys as published: it does not know which are. */
function isBlank({ keys }: EnvelopeHead): boolean {
  return keys.length > 0 && !keys.some(({ isPublished }) => isPublished);
}

/**
 * Versions that `newest` lacks, above one that was made after `older`: versions never fall, so the service has shown somebody a key that nobody has made. It would
 * be the form's newest key again. Its writer has kept all below it, and the service lists it: otherwise anybody who writes may have put it there, to
 * have keys of the form's own dropped. What the key log names is no such key.
 */
function findOvertaken(
  { head: older }: OpenedEnvelope,
  { head: newest }: OpenedEnvelope,
  { published, log }: KeysOfForm,
): readonly number[] {
  const has = ({ keys }: EnvelopeHead, version: number) => keys.some((key) => key.version === version);
  const shared = older.keys.filter(({ version }) => has(newest, version));
  const last = shared.reduce((highest, { version }) => Math.max(highest, version), 0);
  const lost = older.keys.filter(({ version }) => !has(newest, version));
  const isMade = (key: SeenKey) =>
    key.version > last && !has(older, key.version) && isListedIn(published, key) && isBelowLost(key);
  const isBelowLost = (key: SeenKey) => lost.every(({ version }) => key.version < version);
  const made = newest.keys.filter(isMade);
  return made.length === 0 ? [] : lost.filter((key) => !isNamedIn(log, key)).map(({ version }) => version);
}

/** Another key of that version does not count: what was sealed to the published one it does not open. */
function hasKey(keys: OpenedEnvelope["keys"], { version, fingerprint }: PublishedKey): boolean {
  return keys.some((key) => key.keyVersion === version && key.fingerprint === fingerprint);
}

async function tryRevision(
  client: EnvelopeClient,
  list: SealingList,
  request: EnvelopeRequest,
): Promise<OpenedEnvelope | RefusalError> {
  const seen = await openRevision(client, { known: list, loadList: () => client.loadList() }, request);
  const { firstVersion, file } = request;
  return seen instanceof RefusalError ? seen : { ...seen, firstVersion, file };
}

/** Whether the server shows the entry of a key log that it names. */
async function isLogged(
  { heads, api }: EnvelopeClient,
  revision: OpenedEnvelope,
  { newest, others }: SeenForm,
): Promise<boolean> {
  const { fetchKeyLog } = api;
  return (await findNamedLog({ heads, fetchKeyLog }, revision, newest, others)) !== "unshown";
}

/** Whether the first revision that is seen here, and is not an owner's, lacks a key that its key log names. */
async function lacksLogged(
  { heads, api }: EnvelopeClient,
  { head, isByOwner }: OpenedEnvelope,
  seen: EnvelopeHead | undefined,
): Promise<boolean> {
  if (seen !== undefined || isByOwner) return false;
  return lacksNamed(head, await findCountingLog({ heads, fetchKeyLog: api.fetchKeyLog }, head.formId, head.keyLog));
}

/** A revision by somebody who may write no longer gives nothing but keys that were seen. */
function isUsable({ isByFormer, head }: OpenedEnvelope, seen: EnvelopeHead | undefined): boolean {
  return !isByFormer || (seen !== undefined && !isBlank(seen) && lacking(head, seen).length === 0);
}

/**
 * Where both have a version with other keys, or with another seed, they can't be joined, unless the log says which is the form's. After a gap nothing says who let
 * its writer in. It comes without the hybrid keys and seeds that the log names otherwise.
 */
function toKept(
  newest: OpenedEnvelope | RefusalError,
  older: OpenedEnvelope,
  revision: number,
  { seen, log }: { readonly seen: EnvelopeHead | undefined; readonly log: CountingLog },
): OpenedEnvelope | undefined {
  if (newest instanceof RefusalError || newest.isByFormer || newest.head.revision !== revision) return undefined;
  if (isAfterGap(newest, seen)) return undefined;
  const { asLogged } = newest;
  const head = settleLogged(newest.head, { before: undefined, log, asLogged });
  const isJoinable = (key: SeenKey) => {
    const other = head.keys.find(({ version }) => version === key.version);
    return other === undefined || (isNamedIn(log, key) && (isPartOf(other, key) || isPartOf(key, other)));
  };
  return lacking(older.head, head).every(isJoinable) ? { ...newest, head } : undefined;
}

/** Whether a key is the other one, perhaps without its hybrid key or its seed. */
function isPartOf(one: SeenKey, other: SeenKey): boolean {
  return isSameRsaKey(one, other) && [null, other.hybridFingerprint].includes(one.hybridFingerprint);
}

/** The keys of `one` that `other` has not, or not with the same seed. */
function lacking(one: Pick<EnvelopeHead, "keys">, other: Pick<EnvelopeHead, "keys">): EnvelopeHead["keys"] {
  const toText = (key: EnvelopeHead["keys"][number]) =>
    `${key.version} ${key.fingerprint} ${key.hybridFingerprint ?? ""} ${key.seedHash}`;
  const held = new Set(other.keys.map(toText));
  return one.keys.filter((key) => !held.has(toText(key)));
}
