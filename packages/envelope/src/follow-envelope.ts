import type { FormId, LoggedKey } from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import { type DeniedKey, withoutDenied } from "./denied-keys.ts";
import {
  type EnvelopeHead,
  isBeyond,
  isSameRsaKey,
  type OtherHead,
  type PublishedKey,
  type SeenForm,
  type SeenKey,
  type SeenReader,
} from "./envelope-checks.ts";
import {
  findAhead,
  findCountingLog,
  findDenied,
  findLoggedVersion,
  findOtherThanLogged,
  isListedIn,
  lacksNamed,
  listsAny,
  settlePublished,
  withoutOtherHybrids,
} from "./planted-keys.ts";
import { type Reason, RefusalError } from "./refusal.ts";
import { type FormHeads, findHead } from "./seen-heads.ts";
import { findNamedLog, type KeyLogToShow, type NamingRevision, withCurrentLog } from "./shown-key-log.ts";

/** An envelope that was opened and checked. */
export interface SeenEnvelope extends NamingRevision {
  /** Its writer may not write it any longer. */
  readonly isByFormer: boolean;
  /** Its keys, as entries of the form's key log would name them. */
  readonly asLogged: readonly LoggedKey[];
  /** The signing keys that its writer has or had. */
  readonly writerKeys: ReadonlySet<string>;
}

/** The envelopes of a form, and the key that opens them, perhaps in another thread. */
export interface EnvelopeSource<Seen extends SeenEnvelope> extends KeyLogToShow {
  /** The newest revision, or another one that the server still has. */
  fetchEnvelope(formId: FormId, firstVersion: number, revision?: number): Promise<FetchedEnvelope | undefined>;
  /** The form's public keys; `undefined` where they may not be read. */
  fetchPublished(formId: FormId): Promise<readonly PublishedKey[] | undefined>;
  /** By the newest list that was checked. */
  openEnvelope(request: EnvelopeRequest): Promise<Seen | RefusalError>;
  /** The hash of a revision of which a person was shown who has signed it, its versions and its readers, and has said that these are right. */
  readonly lookedAt?: string | undefined;
  /** Revisions of an envelope below this one that the service lists, the newest first, as many as may be looked at. Absent: none is. */
  findOlder?(formId: FormId, firstVersion: number, revision: number): AsyncIterable<FetchedEnvelope>;
  /** The signing keys that the owners in the newest list that was checked have or had. Absent: no entry of a key log speaks for a key. */
  findOwnersKeys?(): ReadonlySet<string>;
  /** Whether the person here has signed a revision. */
  isOwn?(seen: Seen): boolean;
  /** Whether one of these members has signed a revision. */
  isBy?(seen: Seen, ids: ReadonlySet<string>): boolean;
  /** Fetches and checks the list once more. Whether it could be: `openEnvelope` goes by it from then on. */
  renewList(): Promise<boolean>;
}

/** A revision with the number under which the service keeps it. */
export interface FetchedEnvelope {
  readonly file: Bytes;
  readonly revision: number;
}

export interface EnvelopeRequest extends FetchedEnvelope, SeenForm {
  readonly formId: FormId;
  readonly firstVersion: number;
  readonly published?: readonly PublishedKey[] | undefined;
}

/**
 * `hidden_envelope`: there was one. `lost_envelope`: the server took one, and does not show it. `former_writer`: somebody who may not write it any
 * longer has put keys into it that were not seen before, or has written the first revision of it that is seen here.
 */
export type FollowReason = Reason | "hidden_envelope" | "lost_envelope" | "former_writer";

/** With the bytes, which the next revision follows. */
export type FollowedEnvelope<Seen extends SeenEnvelope> = Seen & {
  readonly firstVersion: number;
  readonly file: Bytes;
  /** The service denies a key that was seen here as published, or does not say which the form has: no revision follows, since nobody could tell which keys to keep. */
  readonly isDenied?: true;
  /** Versions of keys that somebody has put there ahead of their time: the next revision leaves them out. */
  readonly ahead?: readonly number[];
  /** Versions of keys that are not published for this device, whatever the service lists: they open submissions, and nobody says that they are the form's. */
  readonly unproved?: readonly number[];
  /**
   * Published versions with another hybrid key or seed than the form's key log names: it opens what it opens, is not remembered, and gives way to the right one.
   */
  readonly otherThanLogged?: readonly number[];
  /** At a first sight by somebody who may write no longer, of which no person has said that it is right. */
  readonly sight?: SightKeys;
};

/** The keys of a first sight, as a person is shown them. */
export interface SightKeys {
  /** Versions of keys for which nothing speaks but the signer and the service: they stay so if the person says that the revision is right. */
  readonly unproven: readonly number[];
  /** The key log that it names: none, or one that was given up here; the service shows it, in order and with that entry; or does not. */
  readonly keyLog: "none" | "shown" | "missing";
}

export interface RefusedEnvelope {
  readonly firstVersion: number;
  readonly reason: FollowReason;
  /** This device has seen other envelopes of the form, and never this one. A rotation to one of its versions may follow it, without its keys. */
  readonly isUnseen?: boolean;
  /** It is refused for nothing but what is remembered here of these keys, and what the form's key log denies: a person may have the log decide. */
  readonly denied?: readonly DeniedKey[];
}

/** `forReading`: its keys open submissions, but it gives nobody a next revision, and the device does not remember it. */
export interface StoppedEnvelope<Seen extends SeenEnvelope> extends RefusedEnvelope {
  readonly forReading?: FollowedEnvelope<Seen>;
}

export interface FollowedEnvelopes<Seen extends SeenEnvelope> {
  readonly envelopes: readonly FollowedEnvelope<Seen>[];
  /**
   * Refused revisions that open and name an entry of a key log which the server does not show, come after a gap, lack a published key, are above an
   * envelope that is refused, or are the first of theirs that is seen here, by somebody who may write no longer; and those of envelopes that were begun ahead
   * of their time. They are good for reading only.
   */
  readonly forReading: readonly FollowedEnvelope<Seen>[];
  /** Without envelopes that were begun ahead of their time, which are no part of the form. */
  readonly refused: readonly RefusedEnvelope[];
  /** The form's public keys; `undefined` where they may not be read. */
  readonly published: readonly PublishedKey[] | undefined;
}

/**
 * Opens the envelopes of a form that the server shows, which are called by their lowest versions. Those that were seen before and are not among them
 * are refused as hidden. Nothing of a refused one may be used. One that no published version has reached is good for reading, and is not remembered.
 */
export async function followEnvelopes<Seen extends SeenEnvelope>(
  source: EnvelopeSource<Seen>,
  formId: FormId,
  shown: readonly number[],
): Promise<FollowedEnvelopes<Seen>> {
  const seen = await source.heads.findEnvelopes(formId);
  const { isRemoved, isForgotten = false } = seen;
  const published = await source.fetchPublished(formId);
  const known = seen.heads;
  const listed = (seen.unlisted ?? []).filter(({ firstVersion }) => listsAny(published, firstVersion));
  if (listed.length > 0)
    await source.heads.dropUnlisted(
      formId,
      listed.map(({ firstVersion }) => firstVersion),
    );
  // Somebody may rotate while the envelopes are fetched.
  let newest = published;
  const asking: EnvelopeSource<Seen> = {
    ...source,
    async fetchPublished(id) {
      const later = await source.fetchPublished(id);
      newest = later === undefined ? newest : [...(newest ?? []), ...later];
      return later;
    },
  };
  const log = { heads: source.heads, fetchKeyLog: once(() => source.fetchKeyLog(formId)) };
  const findLogged = async (firstVersion: number) => {
    const { heads } = await source.heads.findEnvelopes(formId);
    return findLoggedVersion(log, { formId, firstVersion }, published, heads);
  };
  const isAhead = (firstVersion: number, loggedVersion: number | undefined) =>
    isBeyond({ firstVersion }, published, { others: known, loggedVersion });
  const seenVersions = [...known, ...findApart(seen, published)].map(({ firstVersion }) => firstVersion);
  const expected: number[] = [];
  for (const firstVersion of isRemoved ? [] : seenVersions)
    if (!isAhead(firstVersion, await findLogged(firstVersion))) expected.push(firstVersion);
  const hidden = expected.filter((version) => !shown.includes(version));
  const refused: RefusedEnvelope[] = hidden.map((firstVersion) => ({ firstVersion, reason: "hidden_envelope" }));
  const envelopes: FollowedEnvelope<Seen>[] = [];
  const forReading: FollowedEnvelope<Seen>[] = [];
  // Upwards, whatever the server's order: who may begin one is known from those before it.
  for (const firstVersion of shown.toSorted((one, other) => one - other)) {
    const isAboveRefused = refused.some((one) => one.firstVersion < firstVersion);
    const loggedVersion = await findLogged(firstVersion);
    const opened = await followEnvelope(asking, formId, firstVersion, {
      known,
      isForgotten,
      isAboveRefused,
      loggedVersion,
      published,
    });
    if ("reason" in opened) {
      const { forReading: _, ...one } = opened;
      if (!isAhead(firstVersion, loggedVersion)) refused.push(one);
      if (opened.forReading) forReading.push(opened.forReading);
    } else envelopes.push(opened);
  }
  return { envelopes, forReading, refused, published: newest };
}

interface FollowOptions extends Pick<SeenForm, "isAboveRefused" | "isForgotten" | "loggedVersion"> {
  readonly stored?: EnvelopeHead | undefined;
  readonly known?: readonly EnvelopeHead[];
  readonly published?: readonly PublishedKey[] | undefined;
}

/** The most missed revisions that are asked for, the last ones: a server can make up any number. */
const missedMax = 256;

/**
 * Opens one of a form's envelopes, and remembers its head. It has to continue the newest head that was seen, and `stored`, the one that was just
 * sent, which counts as seen only once it could be read back, and says itself which of its keys are published. `known`: all of the form's heads, as they
 * were before the first was opened. Revisions between are opened first, in order: each says who may write the next one.
 */
export async function followEnvelope<Seen extends SeenEnvelope>(
  source: EnvelopeSource<Seen>,
  formId: FormId,
  firstVersion: number,
  options: FollowOptions = {},
): Promise<FollowedEnvelope<Seen> | StoppedEnvelope<Seen>> {
  const { stored } = options;
  const fetched = await source.fetchEnvelope(formId, firstVersion);
  if (fetched === undefined)
    return { firstVersion, reason: stored === undefined ? "hidden_envelope" : "lost_envelope" };
  const { newest } = await findNewest(source, formId, firstVersion, options);
  let passed: EnvelopeHead | undefined;
  for (const revision of findMissed(newest, fetched)) {
    const missed = await source.fetchEnvelope(formId, firstVersion, revision);
    // One that is refused, or that can't be had, says nothing, and leaves a gap.
    const one = missed && (await followRevision(source, { formId, firstVersion, ...missed }, { ...options, passed }));
    const before = passed ?? (await findNewest(source, formId, firstVersion, options)).newest;
    passed = one === undefined || one === "overtaken" ? undefined : toPassed(one, before);
  }
  const last = await followRevision(source, { formId, firstVersion, ...fetched }, { ...options, passed });
  const followed = last !== "overtaken" && "passable" in last ? toStopped(last) : last;
  // Another tab or program has seen a newer revision meanwhile: this one has to be it, or to follow.
  if (followed === "overtaken") {
    const { stored: _, known: __, ...others } = options;
    return followEnvelope(source, formId, firstVersion, others);
  }
  const { reason, forReading } = followed as Partial<StoppedEnvelope<Seen>>; // absent from one that was opened
  const named = reason === "unknown_key_log" ? forReading?.head.keyLog : undefined;
  if (named) await source.heads.noteUnshown(formId, { firstVersion, keyLog: named });
  return followed;
}

interface NewestSeen {
  readonly remembered: readonly EnvelopeHead[];
  readonly before?: EnvelopeHead;
  readonly newest?: EnvelopeHead;
  /** The revision that was seen last where the service did not say which keys it has to have. Lower ones and others of its number are refused, and nothing else. */
  readonly apart?: EnvelopeHead;
}

/** The head that the next revision is compared with. Another tab or program may have seen more than this one had when it sent its own. */
async function findNewest(
  { heads }: Pick<KeyLogToShow, "heads">,
  formId: FormId,
  firstVersion: number,
  { stored, published }: Pick<FollowOptions, "stored" | "published">,
): Promise<NewestSeen> {
  const seen = await heads.findEnvelopes(formId);
  const remembered = seen.heads;
  // The list is not asked about a revision that was just sent.
  const apart = stored === undefined ? findHead(findApart(seen, published), firstVersion) : undefined;
  const before = findHead(remembered, firstVersion);
  const isFirst = stored !== undefined && (before === undefined || before.revision < stored.revision);
  const newest = isFirst ? stored : before;
  return { remembered, ...(before && { before }), ...(newest && { newest }), ...(apart && { apart }) };
}

/** Heads that are kept apart from the form head while the service lists no version of their envelope. */
function findApart(
  { unlisted = [] }: FormHeads,
  published: readonly PublishedKey[] | undefined,
): readonly EnvelopeHead[] {
  return unlisted.filter(({ firstVersion }) => !listsAny(published, firstVersion));
}

/** Whether a revision is another one than was kept apart, and does not come after that. */
function findApartRefusal(
  { head }: SeenEnvelope,
  apart: EnvelopeHead | undefined,
): "old_revision" | "forked" | undefined {
  if (apart === undefined || head.revision > apart.revision || head.hash === apart.hash) return undefined;
  return head.revision < apart.revision ? "old_revision" : "forked";
}

/** At the first sight of an envelope nothing was missed. */
function findMissed(newest: EnvelopeHead | undefined, { revision }: FetchedEnvelope): readonly number[] {
  if (newest === undefined) return [];
  const first = Math.max(newest.revision + 1, revision - missedMax);
  return Array.from({ length: Math.max(0, revision - first) }, (_, index) => first + index);
}

/** Refused by its key log alone, or by its writer, who may write no longer. `passable`: its head where it is the next one. What follows it is compared with that. */
interface PassedRevision<Seen extends SeenEnvelope> extends StoppedEnvelope<Seen> {
  readonly reason: "former_writer" | "unknown_key_log";
  readonly passable: EnvelopeHead | undefined;
}

function toStopped<Seen extends SeenEnvelope>({ passable: _, ...one }: PassedRevision<Seen>): StoppedEnvelope<Seen> {
  return one;
}

type RevisionToFollow = FetchedEnvelope & { readonly formId: FormId; readonly firstVersion: number };

async function followRevision<Seen extends SeenEnvelope>(
  source: EnvelopeSource<Seen>,
  { file, revision, formId, firstVersion }: RevisionToFollow,
  { stored, known, published, passed, ...aside }: FollowOptions & { readonly passed: EnvelopeHead | undefined },
): Promise<FollowedEnvelope<Seen> | StoppedEnvelope<Seen> | PassedRevision<Seen> | "overtaken"> {
  const { heads } = source;
  const { remembered, before, newest, apart } = await findNewest(source, formId, firstVersion, { stored, published });
  const others = await Promise.all(
    findOthers(firstVersion, remembered, known).map((head) => withCurrentLog(heads, head)),
  );
  const open = async (from: EnvelopeHead | undefined, form: SeenForm & Pick<EnvelopeRequest, "published"> = aside) =>
    openRevision(source, {
      ...{ file, revision, formId, firstVersion, published, others },
      ...{ ...form, ...(from && { newest: await withCurrentLog(heads, from) }) },
    });
  const { loggedVersion } = aside;
  const isAhead = isBeyond({ firstVersion }, published, { others: remembered, loggedVersion });
  const over = passed && (await open(passed, { ...aside, isPassed: true }));
  const isOver = over !== undefined && !(over instanceof RefusalError);
  const shown = { heads, fetchKeyLog: once(() => source.fetchKeyLog(formId)) };
  const opened = isOver ? over : await open(newest);
  const seen =
    newest === undefined && opened instanceof RefusalError && opened.reason === "key_missing"
      ? await openByLog(shown, opened, published, (form) => open(undefined, { ...aside, ...form }))
      : opened;
  const isUnseen = newest === undefined && remembered.length > 0;
  // Revisions that were missed have been seen by now.
  const seenBefore = known === undefined ? remembered : [...known, ...(before ? [before] : [])];
  // With the server, a member who was removed can continue to write, under the list from before.
  const isNew = (one: Seen) => one.head.hash !== before?.hash && !hasKeys(seenBefore, one.head);
  const isOfFormer = (one: Seen) => one.isByFormer && newest !== undefined && isNew(one);
  if (seen instanceof RefusalError) {
    const { reason } = seen;
    // The keys that are there open submissions: nobody is shut out of reading by what another writer has left out, or by an envelope below.
    const lacking = newest && { ...newest, keys: [] };
    const mayRead = reason === "key_missing" || (reason === "not_allowed" && (aside.isAboveRefused || isAhead));
    const forgotten = { isForgotten: true, loggedVersion, ...(isAhead && { published: undefined }) };
    const rest = mayRead ? await open(lacking, forgotten) : seen;
    const isRead = !(rest instanceof RefusalError || isOfFormer(rest));
    const forReading = isRead && { forReading: { ...rest, firstVersion, file } };
    const denied = isRead && reason === "key_missing" ? await findDeniedHere(shown, before, rest, open) : [];
    return { firstVersion, reason, ...(isUnseen && { isUnseen }), ...forReading, ...(denied.length > 0 && { denied }) };
  }
  const apartRefusal = findApartRefusal(seen, apart);
  if (apartRefusal !== undefined) return { firstVersion, reason: apartRefusal };
  const from = isOver ? passed : newest;
  // A former key after a gap would wash it away: between may be what has taken its owner out.
  const passable = from && seen.head.revision === from.revision + 1 ? seen.head : undefined;
  if (isOfFormer(seen)) return { firstVersion, reason: "former_writer", passable };
  const settling = { newest, from, published, isFirstOfFormer: seen.isByFormer && newest === undefined };
  const isKnown = [source.lookedAt, apart?.hash].includes(seen.head.hash);
  if (settling.isFirstOfFormer && !isKnown) {
    const sight = await lookAtKeys(source, shown, seen, settling);
    return {
      ...{ firstVersion, reason: "former_writer" },
      forReading: { ...seen, ...asUnproved(seen), sight, firstVersion, file },
    };
  }
  if (isAfterGap(seen, from))
    return { firstVersion, reason: "other_previous", forReading: { ...seen, firstVersion, file } };
  const named = await findNamedLog(shown, seen, newest, others);
  // A manager's may lack keys that the service denies: where nothing was seen, its list is not asked alone.
  const isAsked = newest === undefined && !aside.isForgotten && !seen.isByOwner;
  const log = named !== "unshown" && isAsked ? await findCountingLog(shown, formId, seen.head.keyLog) : "none";
  if (named === "unshown" || log === "unshown")
    return { firstVersion, reason: "unknown_key_log", forReading: { ...seen, firstVersion, file }, passable };
  if (lacksNamed(seen.head, log)) {
    const refused = { firstVersion, reason: "key_missing", ...(isUnseen && { isUnseen }) } as const;
    return { ...refused, forReading: { ...seen, firstVersion, file } };
  }
  if (named === "given_up") await heads.forgetKeyLog(formId);
  const isUnlisted = isAsked && !listsAny(published, firstVersion);
  const settled = await settle(source, shown, seen, settling);
  return (await heads.advanceEnvelope(isUnlisted ? apart : before, settled.head, { isUnlisted }))
    ? { ...seen, ...settled, ...(isUnlisted && { isDenied: true, ...asUnproved(seen) }), firstVersion, file }
    : "overtaken";
}

/** A first sight that lacks what the service lists: of the hybrid keys those are not asked for in whose place the log that counts names others, or none. */
async function openByLog<Seen extends SeenEnvelope>(
  source: KeyLogToShow,
  refusal: RefusalError,
  published: readonly PublishedKey[] | undefined,
  open: (form: SeenForm & Pick<EnvelopeRequest, "published">) => Promise<Seen | RefusalError>,
): Promise<Seen | RefusalError> {
  const rest = await open({ isForgotten: true });
  if (rest instanceof RefusalError) return refusal;
  const { formId, keyLog } = rest.head;
  const asked = withoutOtherHybrids(published, await findCountingLog(source, formId, keyLog));
  return asked === published ? refusal : open({ published: asked });
}

/** The remembered parts that the log denies, if the revision would open without them. */
async function findDeniedHere<Seen extends SeenEnvelope>(
  source: KeyLogToShow,
  before: EnvelopeHead | undefined,
  rest: Seen,
  open: (from: EnvelopeHead) => Promise<Seen | RefusalError>,
): Promise<readonly DeniedKey[]> {
  if (before === undefined) return [];
  const log = await findCountingLog(source, before.formId, rest.head.keyLog);
  const denied = findDenied(before, log, rest);
  if (denied.length === 0 || (await open(withoutDenied(before, denied))) instanceof RefusalError) return [];
  return (await findNamedLog(source, rest, before)) === "unshown" ? [] : denied;
}

/** Nothing says that its keys are the form's. */
function asUnproved({ head }: SeenEnvelope): { readonly unproved: readonly number[] } {
  return { unproved: head.keys.map(({ version }) => version) };
}

/** Finds which keys of a first sight by somebody who may write no longer are unproven, to be shown to a person. */
async function lookAtKeys<Seen extends SeenEnvelope>(
  source: EnvelopeSource<Seen>,
  shown: KeyLogToShow,
  seen: Seen,
  settling: Settling,
): Promise<SightKeys> {
  const log = await findCountingLog(shown, seen.head.formId, seen.head.keyLog);
  const { head } = await settle(source, shown, seen, settling);
  const unproven = head.keys
    .filter(({ isPublished, isUnproven }) => !isPublished || isUnproven)
    .map(({ version }) => version);
  return { unproven, keyLog: log === "none" ? "none" : log === "unshown" ? "missing" : "shown" };
}

interface Settling {
  readonly newest: EnvelopeHead | undefined;
  /** The one that the revision was compared with. */
  readonly from: EnvelopeHead | undefined;
  readonly published: readonly PublishedKey[] | undefined;
  /** Nothing was seen of the envelope, and its signer may write no longer. */
  readonly isFirstOfFormer: boolean;
}

interface Settled {
  readonly head: EnvelopeHead;
  readonly isDenied?: true;
  readonly ahead: readonly number[];
  readonly unproved: readonly number[];
  readonly otherThanLogged: readonly number[];
}

/** Which of its keys are published for this device. */
async function settle<Seen extends SeenEnvelope>(
  source: EnvelopeSource<Seen>,
  shown: KeyLogToShow,
  seen: Seen,
  { newest, from, published, isFirstOfFormer }: Settling,
): Promise<Settled> {
  const { head: opened, asLogged, isByFormer } = seen;
  const { formId, keyLog } = opened;
  // Somebody may have rotated after the list was fetched, and before the envelope was.
  const later = findAhead(opened, published, "none").length > 0 ? await source.fetchPublished(formId) : undefined;
  const known = published && [...published, ...(later ?? [])];
  const isWhole = (one: SeenKey) =>
    one.seedHash !== null &&
    asLogged.some((own) => own.version === one.version && own.hybridFingerprint === one.hybridFingerprint);
  const wasPublished = (key: SeenKey) =>
    newest?.keys.some((one) => one.isPublished && isSameRsaKey(one, key) && isWhole(one));
  const isNew = (key: SeenKey) => key.isPublished && !wasPublished(key);
  const isUnproven = newest?.keys.some((key) => key.isUnproven) === true;
  const isAsked = isUnproven || opened.keys.some(isNew) || findAhead(opened, known, "none").length > 0;
  const log = isAsked ? await findCountingLog(shown, formId, keyLog) : "none";
  const older = isFirstOfFormer ? await findOlderKeys(source, opened, known) : [];
  const owners = source.findOwnersKeys?.();
  const isOwn = source.isOwn?.(seen) === true;
  const doubtful = new Set(from?.readers.filter(({ isDoubtful }) => isDoubtful).map(({ id }) => id));
  const isByDoubtful = source.isBy?.(seen, doubtful) === true;
  const standing = { isByFormer: isByFormer || isByDoubtful, isOwn, older, ...(owners && { owners }) };
  const head = settlePublished(opened, { before: newest, published: known, log, asLogged, ...standing });
  const unproved = head.keys
    .filter(({ isPublished, isAhead, isUnproven }) => isUnproven || (!isPublished && (known !== undefined || isAhead)))
    .map(({ version }) => version);
  const isDenied =
    known === undefined || known.length === 0 || head.keys.some((key) => key.isPublished && !isListedIn(known, key));
  const otherThanLogged = findOtherThanLogged(head, { log, asLogged });
  return { head, ahead: findAhead(opened, known, log), unproved, otherThanLogged, ...(isDenied && { isDenied }) };
}

/** Keys of older revisions whose signers are not former, until each key of this one is among them. */
async function findOlderKeys<Seen extends SeenEnvelope>(
  source: EnvelopeSource<Seen>,
  { formId, firstVersion, revision, keys }: EnvelopeHead,
  published: readonly PublishedKey[] | undefined,
): Promise<readonly SeenKey[]> {
  const found: SeenKey[] = [];
  for await (const fetched of source.findOlder?.(formId, firstVersion, revision) ?? []) {
    if (fetched.revision >= revision) continue;
    const older = await openRevision(source, { ...fetched, formId, firstVersion, published, isForgotten: true });
    if (older instanceof RefusalError || older.isByFormer) continue;
    found.push(...older.head.keys);
    if (keys.every((key) => found.some((one) => isSameRsaKey(one, key)))) break;
  }
  return found;
}

function once<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  return () => {
    answer ??= ask();
    return answer;
  };
}

/**
 * What the next revision is compared with after one that opens but for its key log, or for its writer, who may write no longer by now: what was seen,
 * with the readers of that one. So it is no gap; who it has let in is doubtful, and who it has left out is no reader.
 */
function toPassed<Seen extends SeenEnvelope>(
  one: FollowedEnvelope<Seen> | StoppedEnvelope<Seen> | PassedRevision<Seen>,
  before: EnvelopeHead | undefined,
): EnvelopeHead | undefined {
  const over = "passable" in one ? one.passable : undefined;
  if (before === undefined || over === undefined) return undefined;
  const { revision, hash, readers } = over;
  const known = new Map(before.readers.map((reader) => [reader.id, reader]));
  const toReader = ({ id }: SeenReader): SeenReader => known.get(id) ?? { id, by: null, isDoubtful: true };
  return { ...before, revision, hash, readers: readers.map(toReader) };
}

/**
 * Whether revisions between the newest one that was seen and this one are not known here, and its signer is no owner: one of them may have taken the signer
 * out of the readers.
 */
export function isAfterGap(
  { head, isByOwner }: NamingRevision,
  newest: Pick<EnvelopeHead, "revision"> | undefined,
): boolean {
  return newest !== undefined && head.revision > newest.revision + 1 && !isByOwner;
}

/**
 * The newest heads of the other envelopes of the form, with the lists that they named in `known`, before the first of them was opened: they are written one after
 * the other.
 */
export function findOthers(
  firstVersion: number,
  remembered: readonly EnvelopeHead[],
  known: readonly EnvelopeHead[] = remembered,
): readonly OtherHead[] {
  return remembered
    .filter((head) => head.firstVersion !== firstVersion)
    .map((head) => {
      const before = findHead(known, head.firstVersion);
      return before ? { ...head, list: before.list } : { ...head, isOpenedNow: true };
    });
}

/** Opens a revision whose writer may have had a newer list than this device had a moment ago. */
export async function openRevision<Seen extends SeenEnvelope>(
  source: EnvelopeSource<Seen>,
  request: EnvelopeRequest,
): Promise<Seen | RefusalError> {
  const seen = await source.openEnvelope(request);
  const isNewer = seen instanceof RefusalError && seen.reason === "unknown_list" && (await source.renewList());
  return isNewer ? source.openEnvelope(request) : seen;
}

/** Whether all keys of `head` were seen before, with their seeds, in one of the form's envelopes. What this device has just stored was not seen before. */
function hasKeys(known: readonly EnvelopeHead[], head: EnvelopeHead): boolean {
  if (known.length === 0) return true;
  const seen = known.flatMap(({ keys }) => keys);
  return head.keys.every((key) =>
    seen.some((one) => isSameRsaKey(one, key) && one.hybridFingerprint === key.hybridFingerprint),
  );
}

/** Keys of envelopes, compared with those that the server publishes for the form. */
export interface ComparedKeys<Key> {
  /** Those of published versions, and no others. */
  readonly keys: readonly Key[];
  /** Versions for which the server publishes another key than the envelope has, or none where it did before. */
  readonly otherKeys: readonly number[];
  /** Versions without a key in any envelope. */
  readonly missing: readonly number[];
}

/**
 * Which of these keys are those that the server publishes for the form. A key of a version that it never published is not one of them, and no reason for
 * doubt either: any writer can put one there ahead of its time. `seen`: the keys of the envelopes' heads.
 */
export function comparePublished<Key extends { readonly keyVersion?: number; readonly fingerprint: string }>(
  held: readonly Key[],
  publishedKeys: readonly PublishedKey[],
  seen: readonly SeenKey[],
): ComparedKeys<Key> {
  const published = new Map(publishedKeys.map(({ version, fingerprint }) => [version, fingerprint]));
  const isPublished = ({ keyVersion = 0, fingerprint }: Key) => published.get(keyVersion) === fingerprint;
  const versionsOf = (keys: readonly Key[]) => keys.map(({ keyVersion = 0 }) => keyVersion);
  const wasPublished = (version: number) => seen.some((key) => key.version === version && key.isPublished);
  return {
    keys: held.filter(isPublished),
    otherKeys: versionsOf(held.filter((key) => !isPublished(key))).filter(
      (version) => published.has(version) || wasPublished(version),
    ),
    missing: [...published.keys()].filter((version) => !versionsOf(held).includes(version)),
  };
}
