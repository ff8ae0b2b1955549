import type { FormId, LoggedKey } from "@sealpost/wire";
import { decryptWith } from "./age-file.ts";
import { type Bytes, countStanzas } from "./age-header.ts";
import {
  checkContinues,
  checkFirstSight,
  checkKeyLog,
  checkKeys,
  checkNumber,
  checkReaders,
  checkRight,
  type EnvelopeHead,
  findPublished,
  findWriter,
  isBeyond,
  isOwners,
  type KnownKeyLog,
  type PublishedKey,
  type SeenForm,
  type SeenKey,
  toCounted,
  toHead,
} from "./envelope-checks.ts";
import {
  type EnvelopeContent,
  envelopeBytesMax,
  envelopeFormat,
  type FormKey,
  parseEnvelopeContent,
  readersMax,
} from "./envelope-content.ts";
import { findIntroducers, findUnknownReaders } from "./introduced.ts";
import { toLoggedKey } from "./key-log-entry.ts";
import type { VerifiedList } from "./list.ts";
import { findSigningKeys } from "./list-history.ts";
import { mayWrite } from "./member.ts";
import { findOutdated, isFormerWriter } from "./outdated.ts";
import { isRightKey } from "./private-keys.ts";
import { catchRefusal, check, type EnvelopeReason, RefusalError } from "./refusal.ts";
import { splitSigned, verifyLine } from "./signature.ts";
import { checkCritical, decodeText, hashOf, parseLine } from "./text.ts";

/** An envelope has to agree with these. */
export interface ExpectedEnvelope extends SeenForm {
  readonly formId: FormId;
  /** The first of the 32 key versions that it is for. */
  readonly firstVersion: number;
  /** The number under which the service keeps it. */
  readonly revision: number;
  /** The organization's list, verified, as new as it can be had. */
  readonly list: VerifiedList;
  /** The form's key log; absent: nobody has asked for it, and nothing is compared with it. */
  readonly keyLog?: KnownKeyLog | undefined;
  /** The form's public keys as the service lists them; absent: nobody has asked for them. */
  readonly published?: readonly PublishedKey[] | undefined;
}

export interface OpenedEnvelope {
  readonly content: EnvelopeContent;
  /** To be remembered in place of `newest`. */
  readonly head: EnvelopeHead;
  /** Its keys, as entries of the form's key log would name them. */
  readonly asLogged: readonly LoggedKey[];
  /** Readers who have left since, or got other keys or fewer rights, also if they are what they were again: time for a new revision. */
  readonly outdated: readonly string[];
  /**
   * Readers in this envelope alone, added by nobody known, and those who are doubtful: they are left out until somebody confirms them.
   */
  readonly unknown: readonly string[];
  /** Its writer was an owner then, and has been since, as far as the list says. */
  readonly isByOwner: boolean;
  /** Its writer may write no longer, or has had another signing key since. */
  readonly isByFormer: boolean;
  /** The signing keys that its writer has or had. */
  readonly writerKeys: ReadonlySet<string>;
}

/**
 * Opens an envelope with a reader's age identity. Its checks, their order and what each refusal means are in SPECIFICATION.md
 * section 15. Nothing of a refused envelope may be used. An identity that is not one of age's is a TypeError.
 */
export function openEnvelope(
  file: Bytes,
  identity: string,
  expected: ExpectedEnvelope,
): Promise<OpenedEnvelope | RefusalError<EnvelopeReason>> {
  return openEnvelopeWith(decryptWith, file, identity, expected);
}

/** The same with another way to decrypt, for tests that open more than age is fast enough for. */
export function openEnvelopeWith(
  decrypt: Decrypt,
  file: Bytes,
  identity: string,
  expected: ExpectedEnvelope,
): Promise<OpenedEnvelope | RefusalError<EnvelopeReason>> {
  return catchRefusal(open(decrypt, file, identity, expected));
}

type Decrypt = (identity: string, file: Bytes) => Promise<Bytes>;

async function open(
  decrypt: Decrypt,
  file: Bytes,
  identity: string,
  { keyLog, published, ...expected }: ExpectedEnvelope,
): Promise<OpenedEnvelope> {
  const { formId, firstVersion: _, revision: __, list, ...seen } = expected;
  const form = toCounted(seen, published);
  const { content, members, writer, stanzas } = await openSigned(decrypt, file, identity, expected);
  const isByOwner = isOwners(content, writer, list);
  checkRight(content, writer, isByOwner);
  checkCritical(content);
  await checkReaders(content, members, stanzas);
  check(!isBeyond(content, published, seen), "not_allowed");
  const readers = findIntroducers(content, { list, isByOwner }, form);
  const head = await toHead(content, await hashOf(file), readers, findPublished(published, form.newest));
  checkContinues({ content, seen: head, list, isByOwner, published }, form);
  await checkKeys(content);
  checkFirstSight({ seen: head, isByOwner }, form, published);
  // Anyone who hides a log, or makes an entry of one up, hides nothing else by it.
  checkKeyLog(content, keyLog);
  const standing = { outdated: findOutdated(content, list), unknown: findUnknownReaders(list, head, form.others) };
  const asLogged = await Promise.all(content.keys.map((key) => toLoggedKey(formId, key)));
  const by = { isByOwner, isByFormer: isFormerWriter(content, list) };
  return { content, head, asLogged, ...standing, ...by, writerKeys: findSigningKeys(list, writer.id) };
}

type ExpectedOfSigned = Pick<ExpectedEnvelope, "formId" | "firstVersion" | "revision" | "list" | "newest">;

/** Steps 1 to 6 of section 15, and the signature. */
async function openSigned(
  decrypt: Decrypt,
  file: Bytes,
  identity: string,
  { formId, firstVersion, revision, list, ...form }: ExpectedOfSigned,
) {
  const { content, line, signature, stanzas } = await decryptEnvelope(file, identity, decrypt);
  check(content.formId === formId && content.firstVersion === firstVersion, "other_form");
  check(content.organizationId === list.organizationId, "other_form");
  check(content.revision === revision, "wrong_revision");
  checkNumber(content, form);
  const { members, writer } = findWriter(content, list);
  await verifyLine(envelopeFormat, line, signature, writer.signingKey);
  return { content, members, writer, stanzas };
}

/** Claims of a revision whose signature is right, whatever else it is refused for. Nothing of it may be used. */
export interface SignedRevision {
  readonly signedBy: string;
  /** Its signer may write by the list, and has had the same signing key since. */
  readonly isByWriter: boolean;
  /** Ids of its readers; absent where steps 7 and 8 refuse it for anything but a critical name that is not known. */
  readonly readers?: readonly string[];
  /** Its keys, without those whose private key does not match the fingerprint. */
  readonly keys: readonly SeenKey[];
}

/** Who has signed a revision, and who reads it if it says so: for a person who is asked about a revision that is refused. */
export function readSigned(
  file: Bytes,
  identity: string,
  expected: ExpectedOfSigned,
): Promise<SignedRevision | RefusalError<EnvelopeReason>> {
  return readSignedWith(decryptWith, file, identity, expected);
}

/** The same with another way to decrypt, as `openEnvelopeWith` has it. */
export function readSignedWith(
  decrypt: Decrypt,
  file: Bytes,
  identity: string,
  expected: ExpectedOfSigned,
): Promise<SignedRevision | RefusalError<EnvelopeReason>> {
  return catchRefusal(read(decrypt, file, identity, expected));
}

async function read(
  decrypt: Decrypt,
  file: Bytes,
  identity: string,
  expected: ExpectedOfSigned,
): Promise<SignedRevision> {
  const { list } = expected;
  const { content, writer, ...said } = await openSigned(decrypt, file, identity, expected);
  const right = await filterAsync(content.keys, isRightKey);
  const toSeen = ({ hybridFingerprint }: FormKey) => ({ hybridFingerprint, isPublished: false });
  const { keys } = await toHead({ ...content, keys: right }, await hashOf(file), [], toSeen);
  const checkSaid = async () => {
    checkRight(content, writer, isOwners(content, writer, list));
    await checkReaders(content, said.members, said.stanzas);
    return content.readers.map(({ id }) => id);
  };
  const readers = await catchRefusal(checkSaid());
  return {
    signedBy: content.signedBy,
    isByWriter: mayWrite(writer) && !isFormerWriter(content, list),
    ...(!(readers instanceof RefusalError) && { readers }),
    keys,
  };
}

async function filterAsync<Item>(items: readonly Item[], isKept: (item: Item) => Promise<boolean>): Promise<Item[]> {
  const kept = await Promise.all(items.map(isKept));
  return items.filter((_, index) => kept[index]);
}

/** An envelope in its form, of which nothing else is checked yet. */
export interface DecryptedEnvelope {
  readonly content: EnvelopeContent;
  /** The content as the file has it. */
  readonly line: string;
  readonly signature: Bytes;
  /** The number of recipients in the file's header. */
  readonly stanzas: number;
}

/** Steps 1 to 3 of section 15: bounds, decryption, encoding. */
export async function decryptEnvelope(
  file: Bytes,
  identity: string,
  decrypt: Decrypt = decryptWith,
): Promise<DecryptedEnvelope> {
  check(file.length <= envelopeBytesMax, "malformed");
  const stanzas = countStanzas(file, readersMax);
  // The bound of the content line is that of its file.
  const { line, signature } = splitSigned(decodeText(await decrypt(identity, file)), envelopeBytesMax);
  return { content: parseLine(line, parseEnvelopeContent), line, signature, stanzas };
}
