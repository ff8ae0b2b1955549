import { type FormId, formatTime, type KeyLogHead, noExtensions } from "@sealpost/wire";
import { encryptTo } from "./age-file.ts";
import type { Bytes } from "./age-header.ts";
import {
  checkContinues,
  checkKeys,
  checkReaders,
  checkRight,
  type EnvelopeHead,
  type EnvelopeVersion,
  findPublished,
  isReader,
  isSameRsaKey,
  type SeenForm,
  type SeenKey,
  toHead,
  toReader,
} from "./envelope-checks.ts";
import {
  type EnvelopeContent,
  envelopeBytesMax,
  envelopeFormat,
  type FormKey,
  firstVersionOf,
  othersMax,
  parseEnvelopeContent,
  type Reader,
} from "./envelope-content.ts";
import { findIntroducers, findKnown } from "./introduced.ts";
import type { Signer, VerifiedList } from "./list.ts";
import type { Member } from "./member.ts";
import type { OpenedEnvelope } from "./open-envelope.ts";
import { check } from "./refusal.ts";
import { parseSignature, signLine, verifyLine } from "./signature.ts";
import { asFormName } from "./signed-form-name.ts";
import { findSealable, type Standing } from "./standing.ts";
import { hashOf } from "./text.ts";

export interface EnvelopeParts {
  /** The organization's list: the readers' keys are taken from it and from nowhere else. */
  readonly list: VerifiedList;
  readonly signer: Signer;
  /** By which readers are vouched for; absent: the writer as the list has them, and nobody confirmed. */
  readonly standing?: Standing;
  readonly formId: FormId;
  /** Members who read. Recovery keys read without being named. */
  readonly readerIds: readonly string[];
  /** Members whose key somebody has confirmed now, in the name of the signer; the others who read `previous` stay in the name of those who put them there, except with `after`. */
  readonly confirmedIds?: readonly string[];
  /** Key versions to add to those of `previous`, published now: each takes the place of an unpublished key of its version. */
  readonly keys: readonly FormKey[];
  /** Versions of keys of `previous` that are left out, of `findAhead`; those that were seen as published stay. */
  readonly ahead?: readonly number[];
  /** Which envelope it is, where it has no key and nothing before it opens. */
  readonly firstVersion?: number;
  /** The form's name; absent: as in `previous`. What does not fit into a name is left out. */
  readonly formName?: string;
  /** The head of the form's key log with the entry that belongs to this revision, `null` where it has none; absent: that of `previous`. */
  readonly keyLog?: KeyLogHead | null;
  /** The newest revision, opened; absent for the first. With `after`, the newest one that opens. */
  readonly previous?: OpenedEnvelope;
  /** The newest revision where the writer can't open it: it is followed without its keys, and every reader is there by the signer. */
  readonly after?: EnvelopeVersion;
  /** The form's last envelope, opened, where a new one begins or nothing of this one opens: its readers keep the members who added them. */
  readonly earlier?: OpenedEnvelope;
  /** Milliseconds since the Unix epoch; the current time when absent. */
  readonly now?: number;
}

/**
 * The next revision of an envelope, and its head to remember. Rejects with a `RefusalError` where an opener would refuse it, and where nobody vouches for a
 * reader: nothing is sealed for them.
 */
export function sealEnvelope(parts: EnvelopeParts): Promise<SealedFile> {
  return sealEnvelopeWith(encryptTo, parts);
}

export interface SealedFile {
  readonly file: Bytes;
  readonly head: EnvelopeHead;
}

/** The same with another way to encrypt, for tests that seal more than age is fast enough for. */
export async function sealEnvelopeWith(
  encrypt: (recipients: readonly string[], text: string) => Promise<Bytes>,
  parts: EnvelopeParts,
): Promise<SealedFile> {
  const readers = findReaders(parts);
  check(readers.filter(({ role }) => role !== "recovery").length <= othersMax, "wrong_readers");
  const content = await toContent(parts, readers);
  const writer = parts.list.members.get(parts.signer.id);
  check(writer !== undefined, "not_allowed");
  requireNames(parts, readers);
  const isByOwner = writer.role === "owner";
  checkRight(content, writer, isByOwner);
  await checkReaders(content, parts.list.members, readers.length);
  const sealable = await findSealable(parts.list, parts.standing ?? { own: writer });
  for (const { id } of readers) check(sealable.has(id), "unconfirmed");
  await checkKeys(content);
  const line = JSON.stringify(content);
  const text = await signLine(envelopeFormat, line, parts.signer.signingKey);
  await verifyLine(envelopeFormat, line, parseSignature(text.split("\n")[1] ?? ""), writer.signingKey ?? "");
  const recipients = readers.map(({ recipient }) => recipient);
  const file = await encrypt(recipients, text);
  // Whatever the counts allow fits. SPECIFICATION.md section 15.
  if (file.length > envelopeBytesMax) throw new Error(`An envelope of ${file.length} bytes`);
  const isAdded = ({ version }: FormKey) => parts.keys.some((key) => key.version === version);
  const toSeen = findPublished(undefined, parts.previous?.head);
  const seen = toSeenForm(parts);
  const introduced = findIntroducers(content, { list: parts.list, isByOwner }, seen);
  const opened = await toHead(content, await hashOf(file), introduced, (key, seedHash) =>
    isAdded(key) ? { hybridFingerprint: key.hybridFingerprint, isPublished: true } : toSeen(key, seedHash),
  );
  const head = toRemembered(opened, parts.previous?.head, parts.keys);
  if (seen.newest && parts.after === undefined) {
    // An opener would say that its signer may not do this, and the person here is the signer.
    check(isByOwner || isReader(content, seen.newest, parts.list), "taken_out");
    checkContinues({ content, seen: head, list: parts.list, isByOwner }, seen);
  }
  return { file, head };
}

/** The part of the form head from which the next revision follows. */
function toSeenForm({ previous, earlier }: EnvelopeParts): SeenForm {
  return previous ? { newest: previous.head } : { others: earlier ? [earlier.head] : [] };
}

/** In the order of their ids. */
function findReaders({ list, readerIds }: EnvelopeParts): readonly Member[] {
  const wanted = new Set(readerIds);
  for (const id of wanted) check(list.members.has(id), "wrong_readers");
  return [...list.members.values()]
    .filter(({ id, role }) => wanted.has(id) || role === "recovery")
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Readers of the revision before stay, and the writer; nobody else is sealed for whose name nobody can look at. */
function requireNames({ signer, previous }: EnvelopeParts, readers: readonly Member[]): void {
  const before = new Set(previous?.content.readers.map(({ id }) => id)).add(signer.id);
  for (const { id, name } of readers) check(name !== undefined || before.has(id), "name_missing");
}

async function toContent(parts: EnvelopeParts, readers: readonly Member[]): Promise<EnvelopeContent> {
  const { list, signer, formId, keys, previous, after = previous?.head, now = Date.now() } = parts;
  const { formName = previous?.content.formName ?? "", keyLog = previous?.content.keyLog ?? null } = parts;
  const all = [...keptKeys(parts), ...keys].sort((one, other) => one.version - other.version);
  return parseEnvelopeContent({
    format: envelopeFormat,
    organizationId: list.organizationId,
    formId,
    formName: asFormName(formId, formName),
    firstVersion: previous?.content.firstVersion ?? parts.firstVersion ?? firstVersionOf(all[0]?.version ?? 1),
    revision: (after?.revision ?? 0) + 1,
    previous: after?.hash ?? null,
    list: list.head,
    keyLog,
    keys: all,
    readers: await Promise.all(readers.map((reader) => introduce(reader, parts))),
    writtenAt: formatTime(now),
    signedBy: signer.id,
    ...(previous === undefined ? noExtensions : copyExtensions(previous.content)),
  });
}

/**
 * Nobody has sealed to a key that was never published, so one that a writer has put there ahead of its time keeps no rotation from its version, and is carried
 * on by nobody.
 */
function keptKeys({ previous, keys, ahead = [] }: EnvelopeParts): readonly FormKey[] {
  const isReplaced = ({ version }: FormKey) => {
    const seen = previous?.head.keys.find((one) => one.version === version);
    const isLeftOut = seen?.isPublished === false && ahead.includes(version);
    return isLeftOut || keys.some((key) => key.version === version && seen !== undefined && mayReplace(key, seen));
  };
  return previous === undefined ? [] : findCarriedKeys(previous).filter((key) => !isReplaced(key));
}

/** Whether a key may be put in the place of one of its version: that one is not published, or lacks a part of the form's that this one has. */
export function mayReplace(
  { fingerprint, hybridFingerprint }: Pick<FormKey, "fingerprint" | "hybridFingerprint">,
  seen: SeenKey,
): boolean {
  if (!seen.isPublished) return true;
  const isLacking = seen.seedHash === null || (seen.hybridFingerprint === null && hybridFingerprint !== null);
  return isLacking && seen.fingerprint === fingerprint;
}

/**
 * The head without the seeds that `before` does not have of the same keys, and with the keys that were ahead of their time or unproven there: its writer proves none to
 * themself. `added`: keys that are new, and have their own.
 */
export function toRemembered(
  head: EnvelopeHead,
  before: EnvelopeHead | undefined,
  added: readonly Pick<FormKey, "version">[] = [],
): EnvelopeHead {
  const isUnseen = ({ version }: SeenKey) =>
    before?.keys.some((key) => key.version === version && key.seedHash === null) === true &&
    added.every((key) => key.version !== version);
  const isAhead = (key: SeenKey) =>
    !key.isPublished && before?.keys.some((one) => one.isAhead && isSameRsaKey(one, key)) === true;
  const isUnproven = (key: SeenKey) =>
    key.isPublished && before?.keys.some((one) => one.isUnproven && isSameRsaKey(one, key)) === true;
  return {
    ...head,
    keys: head.keys.map((key) => ({
      ...key,
      ...(isUnseen(key) && { seedHash: null }),
      ...(isAhead(key) && { isAhead: true }),
      ...(isUnproven(key) && { isUnproven: true }),
    })),
  };
}

/** The keys of an envelope as the next revision has them: without a hybrid key that nobody has published, which its writer may have put next to the form's. */
export function findCarriedKeys({ content, head }: Pick<OpenedEnvelope, "content" | "head">): readonly FormKey[] {
  const isSeen = ({ version, hybridFingerprint }: FormKey) =>
    head.keys.some((seen) => seen.version === version && seen.hybridFingerprint === hybridFingerprint);
  return content.keys.map((key) => (isSeen(key) ? key : { ...key, hybridFingerprint: null, hybridPrivateKey: null }));
}

/**
 * A reader of the revision before with the same key stays in the name of the member who is known to have put them there, and may still do so; everybody else
 * is there by the signer.
 */
async function introduce(member: Member, parts: EnvelopeParts): Promise<Reader> {
  const { signer, previous, after, earlier, confirmedIds = [] } = parts;
  const reader = await toReader(member, signer.id);
  // Who has opened the revision before may know them by another name there.
  if ((after !== undefined && previous !== undefined) || confirmedIds.includes(member.id)) return reader;
  const opened = previous ?? earlier;
  // They were left out, and are here by the word of the signer.
  if (opened?.outdated.includes(member.id)) return reader;
  const before = opened?.content.readers.find(({ id }) => id === member.id);
  if (before?.fingerprint !== reader.fingerprint) return reader;
  return { ...reader, by: (opened && findKnown(parts.list, opened.head, parts.list.head).get(member.id)) ?? null };
}

/** The extensions of the revision before, unchanged. None of them is critical: with one, it could not have been opened. */
function copyExtensions({ extensions, critical }: EnvelopeContent) {
  return { extensions, critical };
}
