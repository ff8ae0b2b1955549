import { type FormId, hashVersionSeed, type KeyLogHead } from "@sealpost/wire";
import {
  type EnvelopeContent,
  type FormKey,
  firstVersionOf,
  managersRevisionMax,
  othersMax,
  type Reader,
  revisionStepsMax,
} from "./envelope-content.ts";
import type { ListHead, VerifiedList } from "./list.ts";
import { type Member, mayRead, mayWrite, type Unnamed } from "./member.ts";
import { findTakenOut, isFormerOwner } from "./outdated.ts";
import { isRightKey } from "./private-keys.ts";
import { check, RefusalError } from "./refusal.ts";
import { hashOf } from "./text.ts";

/** A revision of an envelope by its number and bytes, which need not be opened for it. */
export interface EnvelopeVersion {
  readonly revision: number;
  /** The hash of the file's bytes. */
  readonly hash: string;
}

/** The newest revision of an envelope that was seen, to be remembered: JSON, without anything secret. */
export interface EnvelopeHead extends EnvelopeVersion {
  readonly organizationId: string;
  readonly formId: FormId;
  readonly formName: string;
  readonly firstVersion: number;
  readonly list: ListHead;
  readonly keyLog: KeyLogHead | null;
  readonly readers: readonly SeenReader[];
  readonly keys: readonly SeenKey[];
}

/** `null`: nothing proves who put them there. */
export interface SeenReader extends Pick<Reader, "id"> {
  readonly by: string | null;
  /**
   * Nobody but a former signer, one who is doubtful, or a revision that was refused, has put them there since this device has seen the form: the next revision is
   * not for them.
   */
  readonly isDoubtful?: boolean;
}

/** The head of another envelope of the same form. */
export interface OtherHead extends EnvelopeHead {
  /** It was opened a moment ago, and not before: writers write one envelope after the other, so its list may be newer than that of the one after it. */
  readonly isOpenedNow?: boolean;
}

/** The form head: all that was seen of a form. */
export interface SeenForm {
  /** The newest revision of this envelope; absent at its first sight. */
  readonly newest?: EnvelopeHead;
  readonly others?: readonly OtherHead[];
  /** `newest` stands for a refused revision that was passed over: it has that revision's readers, and proves nothing about those who have changed since. */
  readonly isPassed?: boolean;
  /** An envelope below this one, which was seen or which the service shows, has not opened here by its newest revision. */
  readonly isAboveRefused?: boolean;
  /** Somebody has put the form head aside here: which published keys the next sight lacks was looked at. */
  readonly isForgotten?: boolean;
  /** Result of `findLoggedVersion`. */
  readonly loggedVersion?: number | undefined;
}

/** A key version by its fingerprints, and the hash of its seed. */
export interface SeenKey extends Pick<FormKey, "version" | "fingerprint" | "hybridFingerprint"> {
  /** `null`: the form's key log names another seed than the envelope has, which is not remembered. */
  readonly seedHash: string | null;
  /** Whether it was ever seen among the form's public keys; otherwise a rotation may put another key in its place. */
  readonly isPublished: boolean;
  /** This device has seen it in this very revision before the service listed it: somebody has put it there ahead of its time. */
  readonly isAhead?: boolean;
  /** It counts as published but for this: nobody who may write has vouched for it here, so that it is neither signed nor pinned, nor shown as proved. */
  readonly isUnproven?: boolean;
}

/** A public key of the form, as the service lists it. */
export interface PublishedKey {
  readonly version: number;
  readonly fingerprint: string;
  readonly hybridFingerprint?: string | undefined;
}

/** A form's key log that was checked, or the newest head of it that was seen. */
export interface KnownKeyLog {
  contains(head: KeyLogHead): boolean;
}

/** A log of which these heads are known. */
export function toKnownKeyLog(heads: readonly KeyLogHead[]): KnownKeyLog {
  return { contains: (head) => heads.some(({ number, hash }) => number === head.number && hash === head.hash) };
}

export async function toReader(
  { id, recipient }: Pick<Unnamed, "id" | "recipient">,
  by: string | null,
): Promise<Reader> {
  return { id, fingerprint: await hashOf(recipient), by };
}

/** Numbers never fall. One far above what was seen was not reached by writing one after the other, no matter who wrote it and what the service says. */
export function checkNumber({ revision }: Pick<EnvelopeContent, "revision">, { newest }: SeenForm): void {
  check(revision <= (newest?.revision ?? 0) + revisionStepsMax, "wrong_revision");
}

/** The members that the writer had; refused where this is not in the list, or the writer was not in it. */
export function findWriter(
  { list: head, signedBy }: EnvelopeContent,
  list: VerifiedList,
): { readonly members: ReadonlyMap<string, Member>; readonly writer: Member & { signingKey: string } } {
  const members = list.membersAt(head);
  if (members === undefined) throw new RefusalError("unknown_list");
  const writer = members.get(signedBy);
  if (!writer?.signingKey) throw new RefusalError("not_signed");
  return { members, writer: { ...writer, signingKey: writer.signingKey } };
}

/** Whether an envelope is an owner's: its writer was one then, and has been since. A former owner could name a list from before. */
export function isOwners(content: EnvelopeContent, writer: Pick<Member, "role">, list: VerifiedList): boolean {
  return writer.role === "owner" && !isFormerOwner(content, list);
}

/** Owners and managers write; owners alone what is left to them of the revisions, and what others have to understand. */
export function checkRight({ revision, critical }: EnvelopeContent, writer: Member, isByOwner: boolean): void {
  check(mayWrite(writer), "not_allowed");
  if (revision > managersRevisionMax) check(isByOwner, "not_allowed");
  if (critical.length > 0) check(isByOwner, "not_allowed");
}

/** The readers have to be members who may read, with the keys of the list, and every recovery key among them. */
export async function checkReaders(
  { readers }: EnvelopeContent,
  members: ReadonlyMap<string, Member>,
  stanzas: number,
): Promise<void> {
  check(stanzas === readers.length, "wrong_readers");
  for (const { id, fingerprint } of readers) {
    const member = members.get(id);
    check(member !== undefined && mayRead(member), "wrong_readers");
    check((await hashOf(member.recipient)) === fingerprint, "wrong_readers");
  }
  const ids = new Set(readers.map(({ id }) => id));
  const recovery = [...members.values()].filter(({ role }) => role === "recovery");
  check(
    recovery.every(({ id }) => ids.has(id)),
    "wrong_readers",
  );
  check(readers.length - recovery.length <= othersMax, "wrong_readers");
}

/** The head of the form's key log that the writer had has to be in it, where the log is known. */
export function checkKeyLog({ keyLog }: EnvelopeContent, known: KnownKeyLog | undefined): void {
  check(keyLog === null || known === undefined || known.contains(keyLog), "unknown_key_log");
}

/**
 * Whether an envelope was begun ahead of its time: no version that the service lists, that was seen as published, or that the key log names, has reached its first
 * one. It is no part of the form: anyone who writes could have begun it, for the readers of that time. Where the list is not known, or empty, nobody can tell.
 */
export function isBeyond(
  { firstVersion }: Pick<EnvelopeHead, "firstVersion">,
  published: readonly PublishedKey[] | undefined,
  { newest, others = [], loggedVersion = 0 }: SeenForm,
): boolean {
  if (published === undefined || published.length === 0) return false;
  const seen = [...others, ...(newest ? [newest] : [])].flatMap(({ keys }) => keys);
  const known = [...published, ...seen.filter(({ isPublished }) => isPublished)];
  return loggedVersion < firstVersion && known.every(({ version }) => version < firstVersion);
}

/** The form as it was seen, without other envelopes that were begun ahead of their time. */
export function toCounted(form: SeenForm, published: readonly PublishedKey[] | undefined): SeenForm {
  const { others, ...rest } = form;
  return { ...rest, ...(others && { others: others.filter((one) => !isBeyond(one, published, form)) }) };
}

/** The part of the form head with which an envelope is compared. */
export function findBefore({ newest, others = [] }: SeenForm): EnvelopeHead | undefined {
  return newest ?? findLast(others);
}

/** Whether an envelope of which nothing was seen is above all that was: somebody has begun it since. Of a form that was not seen, any but the lowest one. */
export function isBegun(
  { firstVersion }: Pick<EnvelopeHead, "firstVersion">,
  { newest, others = [], isAboveRefused = false }: SeenForm,
): boolean {
  const last = findLast(others);
  // In a form that was not seen, those below that open are seen by now.
  return newest === undefined && (last === undefined ? isAboveRefused : firstVersion > last.firstVersion);
}

/** Facts about a revision besides what it says. `isByOwner`: of `isOwners`. */
interface Revision {
  readonly content: EnvelopeContent;
  /** Its own head. */
  readonly seen: EnvelopeHead;
  readonly list: VerifiedList;
  readonly isByOwner: boolean;
  /** The service's list, where it is known. */
  readonly published?: readonly PublishedKey[] | undefined;
}

/** An envelope may follow what was seen of the form, or be the newest revision that was seen. Published keys that were seen have to be in it, unchanged. */
export function checkContinues(revision: Revision, form: SeenForm): void {
  const { content, seen, list, isByOwner } = revision;
  const { newest, others = [], isAboveRefused = false } = form;
  const before = findBefore(form);
  const isRead = before !== undefined && isReader(content, before, list);
  if (before !== undefined) {
    check(
      seen.formId === before.formId && (newest === undefined || seen.firstVersion === newest.firstVersion),
      "other_form",
    );
    check(seen.organizationId === before.organizationId, "other_form");
    const lower = others.filter(({ firstVersion }) => firstVersion < seen.firstVersion);
    // One that was seen is compared with itself alone: somebody may write another one alone, and later.
    const older = newest ? [newest] : lower.filter(({ isOpenedNow }) => isOpenedNow !== true);
    const isCurrent = older.every((one) => seen.list.number >= one.list.number);
    check(isCurrent, "old_list");
    // An owner may have given the log up.
    check(hasLaterLog(seen, newest ?? findLast(lower)) || isByOwner, "old_key_log");
  }
  // Who does not read the form would begin an envelope with keys of their own, or hide by bytes that nobody opens that they were taken out.
  if (isBegun(seen, form)) check(isByOwner || (isRead && !isAboveRefused), "not_allowed");
  if (newest !== undefined) checkRevision(revision, newest, isByOwner || isRead);
}

/**
 * Whether all published keys that have their place in an envelope of which nothing was seen are in it, or an owner has written it: its writer may be a manager
 * who never read the form, and has put keys of their own in the place of the form's, or one who reads it, and has left keys out.
 */
export function checkFirstSight(
  { seen, isByOwner }: Pick<Revision, "seen" | "isByOwner">,
  form: SeenForm,
  published: readonly PublishedKey[] = [],
): void {
  if (isByOwner || form.newest !== undefined || form.isForgotten) return;
  const isHeld = (one: PublishedKey) =>
    seen.keys.some(
      ({ version, fingerprint, hybridFingerprint }) =>
        version === one.version &&
        fingerprint === one.fingerprint &&
        (!one.hybridFingerprint || hybridFingerprint === one.hybridFingerprint),
    );
  const own = published.filter(({ version }) => firstVersionOf(version) === seen.firstVersion);
  check(own.every(isHeld), "key_missing");
}

/** The one with the form's newest keys. */
export function findLast<Head extends EnvelopeHead>(heads: readonly Head[]): Head | undefined {
  return heads.toSorted((one, other) => other.firstVersion - one.firstVersion)[0];
}

function hasLaterLog({ keyLog }: EnvelopeHead, before: EnvelopeHead | undefined): boolean {
  return !before?.keyLog || (keyLog !== null && keyLog.number >= before.keyLog.number);
}

/** Whether the signer reads the head. Anyone taken out of the list since was let in again by somebody who may not read the form. */
export function isReader(
  { signedBy, list: { number } }: EnvelopeContent,
  before: EnvelopeHead,
  list: VerifiedList,
): boolean {
  const isThere = before.readers.some(({ id }) => id === signedBy);
  return isThere && !findTakenOut(list, before.list.number, number).has(signedBy);
}

function checkRevision({ content, seen, published }: Revision, newest: EnvelopeHead, mayFollow: boolean): void {
  const steps = seen.revision - newest.revision;
  check(steps >= 0, "old_revision");
  if (steps === 0) check(seen.hash === newest.hash, "forked");
  // Its writer may have written anything there.
  if (steps === 1) check(content.previous === newest.hash, "other_previous");
  // Anyone who has come in between has done so by a revision that was opened before this one, or by one that was refused.
  if (steps > 0) check(mayFollow, "not_allowed");
  check(
    newest.keys.every((key) => !key.isPublished || seen.keys.some((other) => isSameKey(key, other))),
    "key_missing",
  );
  checkUnpublished({ seen, published }, newest);
}

/**
 * A key that was never published goes where the published one of its version takes its place, and where it is above all that were seen as published, whatever
 * the service lists by now. Where its list is not known, nobody can tell.
 */
function checkUnpublished({ seen, published }: Pick<Revision, "seen" | "published">, newest: EnvelopeHead): void {
  if (published === undefined || published.length === 0) return;
  const mayGo = (key: SeenKey) =>
    isAboveProven(newest, key) || seen.keys.some((other) => other.version === key.version && other.isPublished);
  const gone = newest.keys.filter((key) => !key.isPublished && !seen.keys.some((other) => isSameRsaKey(key, other)));
  check(gone.every(mayGo), "key_missing");
}

/** Whether a key is above all that were seen as published in this revision: nobody misses one that was not, and nobody puts it back. */
export function isAboveProven({ keys }: Pick<EnvelopeHead, "keys">, { version }: Pick<SeenKey, "version">): boolean {
  return keys.every((key) => !key.isPublished || key.version < version);
}

/** A hybrid key may be added. */
function isSameKey(before: SeenKey, after: SeenKey): boolean {
  return (
    isSameRsaKey(before, after) &&
    (before.hybridFingerprint === null || after.hybridFingerprint === before.hybridFingerprint)
  );
}

/** With the seed that was seen before, unless none is remembered. */
export function isSameRsaKey(
  before: Omit<SeenKey, "isPublished" | "hybridFingerprint">,
  after: typeof before,
): boolean {
  const isSame = before.version === after.version && before.fingerprint === after.fingerprint;
  return isSame && (before.seedHash === null || before.seedHash === after.seedHash);
}

/** Each private key has to be the one of its fingerprint, with every number of it. */
export async function checkKeys({ keys }: EnvelopeContent): Promise<void> {
  for (const key of keys) check(await isRightKey(key), "wrong_key");
}

/** `readers`: of `findIntroducers`. `toSeen`: of `findPublished`. */
export async function toHead(
  content: EnvelopeContent,
  hash: string,
  readers: readonly SeenReader[],
  toSeen: (key: FormKey, seedHash: string) => Pick<SeenKey, "hybridFingerprint" | "isPublished">,
): Promise<EnvelopeHead> {
  const { organizationId, formId, formName, firstVersion, revision, list, keyLog, keys } = content;
  return {
    ...{ organizationId, formId, formName, firstVersion, revision, hash, list, keyLog },
    readers,
    keys: await Promise.all(
      keys.map(async (key) => {
        const { version, fingerprint, seed } = key;
        const seedHash = await hashVersionSeed(seed, { formId, version });
        const { hybridFingerprint, isPublished } = toSeen(key, seedHash);
        return { version, fingerprint, hybridFingerprint, seedHash, isPublished };
      }),
    ),
  };
}

/**
 * What is remembered of a key: it is published if the service lists it, whatever hybrid key is next to it, or if it was seen so before. Where the list is not
 * known, nothing becomes published: a key ahead of its time would have to stay, and its version's own key could never come. Next to a published key, a hybrid
 * key that the service does not list, and that was not seen so, is not remembered.
 */
export function findPublished(
  published: readonly PublishedKey[] | undefined,
  newest: EnvelopeHead | undefined,
): (key: FormKey, seedHash: string) => Pick<SeenKey, "hybridFingerprint" | "isPublished"> {
  return ({ version, fingerprint, hybridFingerprint }, seedHash) => {
    const isThis = (one: PublishedKey) => one.version === version && one.fingerprint === fingerprint;
    const listed = published?.filter(isThis) ?? [];
    const isSeen = (one: SeenKey) => isSameRsaKey(one, { version, fingerprint, seedHash }) && one.isPublished;
    const seen = newest?.keys.filter(isSeen) ?? [];
    const known = [...listed, ...seen];
    if (known.length === 0) return { hybridFingerprint, isPublished: false };
    const isWhole = known.some((one) => one.hybridFingerprint === hybridFingerprint);
    return { hybridFingerprint: isWhole ? hybridFingerprint : null, isPublished: true };
  };
}
