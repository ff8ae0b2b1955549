import { type FormId, hashVersionSeed, type KeyLogHead } from "@sealpost/wire";
import { type EnvelopeContent, type FormKey, managersRevisionMax, type Reader } from "./envelope-content.ts";
import type { ListHead, VerifiedList } from "./list.ts";
import { type Member, mayRead, mayWrite, type Unnamed } from "./member.ts";
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
  readonly handedTo: string | null;
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
}

/** A key version by its fingerprints, and the hash of its seed. */
export interface SeenKey extends Pick<FormKey, "version" | "fingerprint" | "hybridFingerprint"> {
  readonly seedHash: string;
  /** Whether it was ever seen among the form's public keys; otherwise a rotation may put another key in its place. */
  readonly isPublished: boolean;
}

/** A public key of the form, as the service lists it. */
export interface PublishedKey {
  readonly version: number;
  readonly fingerprint: string;
}

/** A form's key log that was checked, or the newest head of it that was seen. */
export interface KnownKeyLog {
  contains(head: KeyLogHead): boolean;
}

/** A log of which these heads are known. */
export function toKnownKeyLog(heads: readonly KeyLogHead[]): KnownKeyLog {
  return { contains: (head) => heads.some(({ number, hash }) => number === head.number && hash === head.hash) };
}

export async function toReader({ id, recipient }: Pick<Unnamed, "id" | "recipient">, by: string): Promise<Reader> {
  return { id, fingerprint: await hashOf(recipient), by };
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

/**
 * Whether an envelope counts as an owner's: its writer was one then, and is no manager by the list of now, as a manager could name a list from before.
 * Of somebody who may write no longer, keys that were not seen are not taken in any case.
 */
export function isOwners({ id, role }: Member, now: ReadonlyMap<string, Member>): boolean {
  return role === "owner" && now.get(id)?.role !== "manager";
}

/** Owners and managers write; owners alone hand a form over, and what is left to them of the revisions. */
export function checkRight({ handedTo, revision }: EnvelopeContent, writer: Member, isByOwner: boolean): void {
  check(mayWrite(writer), "not_allowed");
  if (handedTo !== null || revision > managersRevisionMax) check(isByOwner, "not_allowed");
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
}

/** The head of the form's key log that the writer had has to be in it, where the log is known. */
export function checkKeyLog({ keyLog }: EnvelopeContent, known: KnownKeyLog | undefined): void {
  check(keyLog === null || known === undefined || known.contains(keyLog), "unknown_key_log");
}

/**
 * An envelope may follow what was seen of the form, or be the newest revision that was seen. Published keys that were seen have to be in it, unchanged. `seen`:
 * its own head; `isByOwner`: of `isOwners`.
 */
export function checkContinues(content: EnvelopeContent, seen: EnvelopeHead, form: SeenForm, isByOwner: boolean): void {
  const { newest, others = [] } = form;
  const before = newest ?? findLast(others);
  // Nothing of the form was seen.
  if (before === undefined) return;
  check(
    seen.formId === before.formId && (newest === undefined || seen.firstVersion === newest.firstVersion),
    "other_form",
  );
  check(seen.organizationId === before.organizationId || seen.organizationId === before.handedTo, "other_form");
  const lower = others.filter(({ firstVersion }) => firstVersion < seen.firstVersion);
  // One that was seen is compared with itself alone: somebody may write another one alone, and later.
  const older = newest ? [newest] : lower.filter(({ isOpenedNow }) => isOpenedNow !== true);
  const isCurrent = older.every((one) => hasLaterList(seen, one));
  check(isCurrent, "old_list");
  // An owner may have given the log up.
  check(hasLaterLog(seen, newest ?? findLast(lower)) || isByOwner, "old_key_log");
  // Who does not read the form would begin an envelope with keys of their own.
  if (newest === undefined) check(isByOwner || isReader(content.signedBy, before), "not_allowed");
  else checkRevision(content, seen, newest, isByOwner);
}

/** The one with the form's newest keys. */
export function findLast<Head extends EnvelopeHead>(heads: readonly Head[]): Head | undefined {
  return heads.toSorted((one, other) => other.firstVersion - one.firstVersion)[0];
}

/** Lists of two organizations have nothing to do with each other. */
function hasLaterList(seen: EnvelopeHead, before: EnvelopeHead): boolean {
  return seen.organizationId !== before.organizationId || seen.list.number >= before.list.number;
}

function hasLaterLog({ keyLog }: EnvelopeHead, before: EnvelopeHead | undefined): boolean {
  return !before?.keyLog || (keyLog !== null && keyLog.number >= before.keyLog.number);
}

function isReader(id: string, { readers }: EnvelopeHead): boolean {
  return readers.some((reader) => reader.id === id);
}

function checkRevision(content: EnvelopeContent, seen: EnvelopeHead, newest: EnvelopeHead, isByOwner: boolean): void {
  const steps = seen.revision - newest.revision;
  check(steps >= 0, "old_revision");
  if (steps === 0) check(seen.hash === newest.hash, "forked");
  // Its writer may have written anything there.
  if (steps === 1) check(content.previous === newest.hash, "other_previous");
  // Anyone who has come in between has done so by a revision that was opened before this one, or by one that was refused.
  if (steps > 0) check(isByOwner || isReader(content.signedBy, newest), "not_allowed");
  if (steps === 1) check(areIntroduced(content, newest), "wrong_readers");
  check(
    newest.keys.every((key) => !key.isPublished || seen.keys.some((other) => isSameKey(key, other))),
    "key_missing",
  );
}

/** Anyone who puts somebody in, or confirms them, does it in their own name. */
function areIntroduced({ readers, signedBy }: EnvelopeContent, { readers: before }: EnvelopeHead): boolean {
  return readers.every(
    ({ id, by }) =>
      by === signedBy || before.some((reader) => reader.id === id && (reader.by === by || reader.by === null)),
  );
}

/** A hybrid key may be added. */
function isSameKey(before: SeenKey, after: SeenKey): boolean {
  return (
    after.version === before.version &&
    after.fingerprint === before.fingerprint &&
    after.seedHash === before.seedHash &&
    (before.hybridFingerprint === null || after.hybridFingerprint === before.hybridFingerprint)
  );
}

/** Each private key has to be the one of its fingerprint, with every number of it. */
export async function checkKeys({ keys }: EnvelopeContent): Promise<void> {
  for (const key of keys) check(await isRightKey(key), "wrong_key");
}

/** Ids of readers, of those who put them there and of the writer who are no longer what they were when the envelope was written. */
export function findOutdated(
  { readers, signedBy }: EnvelopeContent,
  then: ReadonlyMap<string, Member>,
  now: ReadonlyMap<string, Member>,
): readonly string[] {
  const gone = readers
    .map(({ id }) => id)
    .filter((id) => {
      const member = now.get(id);
      return member === undefined || !mayRead(member) || member.recipient !== then.get(id)?.recipient;
    });
  const writer = now.get(signedBy);
  const isWriter = writer && mayWrite(writer) && writer.signingKey === then.get(signedBy)?.signingKey;
  return isWriter || gone.includes(signedBy) ? gone : [...gone, signedBy];
}

/** `readers`: of `findIntroducers`. `isPublished`: of each key of the content. */
export async function toHead(
  content: EnvelopeContent,
  hash: string,
  readers: readonly SeenReader[],
  isPublished: (key: FormKey, seedHash: string) => boolean,
): Promise<EnvelopeHead> {
  const { organizationId, formId, handedTo, formName, firstVersion, revision, list, keyLog, keys } = content;
  return {
    ...{ organizationId, formId, handedTo, formName, firstVersion, revision, hash, list, keyLog },
    readers,
    keys: await Promise.all(
      keys.map(async (key) => {
        const { version, fingerprint, hybridFingerprint, seed } = key;
        const seedHash = await hashVersionSeed(seed, { formId, version });
        return { version, fingerprint, hybridFingerprint, seedHash, isPublished: isPublished(key, seedHash) };
      }),
    ),
  };
}

/**
 * Which keys count as published: those that were seen so before, and those of the service's list. Where that is not known, every key counts that is not
 * known to be unpublished, so that no writer drops it.
 */
export function findPublished(
  published: readonly PublishedKey[] | undefined,
  newest: EnvelopeHead | undefined,
): (key: FormKey, seedHash: string) => boolean {
  return ({ version, fingerprint }, seedHash) => {
    const isThis = (one: PublishedKey) => one.version === version && one.fingerprint === fingerprint;
    const seen = newest?.keys.find((one) => isThis(one) && one.seedHash === seedHash);
    if (seen?.isPublished === true) return true;
    return published === undefined ? seen === undefined : published.some(isThis);
  };
}
