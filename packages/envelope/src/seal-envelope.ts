import { type FormId, formatTime, noExtensions } from "@sealpost/wire";
import { encryptTo } from "./age-file.ts";
import type { Bytes } from "./age-header.ts";
import {
  checkContinues,
  checkKeys,
  checkReaders,
  type EnvelopeHead,
  type EnvelopeVersion,
  toHead,
  toReader,
} from "./envelope-checks.ts";
import {
  type EnvelopeContent,
  envelopeBytesMax,
  envelopeFormat,
  type FormKey,
  parseEnvelopeContent,
} from "./envelope-content.ts";
import type { Signer, VerifiedList } from "./list.ts";
import { type Member, mayWrite } from "./member.ts";
import type { OpenedEnvelope } from "./open-envelope.ts";
import { check } from "./refusal.ts";
import { parseSignature, signLine, verifyLine } from "./signature.ts";
import { hashOf } from "./text.ts";

export interface EnvelopeParts {
  /** The organization's list: the readers' keys are taken from it and from nowhere else. */
  readonly list: VerifiedList;
  readonly signer: Signer;
  readonly formId: FormId;
  /** Members who read. Recovery keys read without being named. */
  readonly readerIds: readonly string[];
  /** Key versions to add to those of `previous`. */
  readonly keys: readonly FormKey[];
  /** The newest revision, opened; absent for the first. With `after`, the newest one that opens. */
  readonly previous?: OpenedEnvelope;
  /** The newest revision where the writer can't open it: it is followed without its keys. */
  readonly after?: EnvelopeVersion;
  /** Milliseconds since the Unix epoch; the current time when absent. */
  readonly now?: number;
}

/**
 * The next revision of an envelope, and its head to remember. Rejects with a `RefusalError` where an opener would refuse it, and
 * with a TypeError where it would be larger than an envelope may be.
 */
export async function sealEnvelope(
  parts: EnvelopeParts,
): Promise<{ readonly file: Bytes; readonly head: EnvelopeHead }> {
  const readers = findReaders(parts);
  const content = await toContent(parts, readers);
  const writer = parts.list.members.get(parts.signer.id);
  check(writer !== undefined && mayWrite(writer), "not_allowed");
  await checkReaders(content, parts.list.members, readers.length);
  await checkKeys(content);
  const line = JSON.stringify(content);
  const text = await signLine(envelopeFormat, line, parts.signer.signingKey);
  await verifyLine(envelopeFormat, line, parseSignature(text.split("\n")[1] ?? ""), writer.signingKey ?? "");
  const recipients = readers.map(({ recipient }) => recipient);
  const file = await encryptTo(recipients, text);
  if (file.length > envelopeBytesMax)
    throw new TypeError(`An envelope has at most ${envelopeBytesMax} bytes, this one would have ${file.length}`);
  const hash = await hashOf(file);
  if (parts.previous !== undefined) checkContinues(content, hash, parts.previous.head);
  return { file, head: toHead(content, hash) };
}

/** In the order of their ids. */
function findReaders({ list, readerIds }: EnvelopeParts): readonly Member[] {
  const wanted = new Set(readerIds);
  for (const id of wanted) check(list.members.has(id), "wrong_readers");
  return [...list.members.values()]
    .filter(({ id, role }) => wanted.has(id) || role === "recovery")
    .sort((one, other) => (one.id < other.id ? -1 : 1));
}

async function toContent(
  { list, signer, formId, keys, previous, after = previous?.head, now = Date.now() }: EnvelopeParts,
  readers: readonly Member[],
): Promise<EnvelopeContent> {
  const all = [...(previous?.content.keys ?? []), ...keys].sort((one, other) => one.version - other.version);
  return parseEnvelopeContent({
    format: envelopeFormat,
    organizationId: list.organizationId,
    formId,
    revision: (after?.revision ?? 0) + 1,
    previous: after?.hash ?? null,
    list: list.head,
    keys: all,
    readers: await Promise.all(readers.map(toReader)),
    writtenAt: formatTime(now),
    signedBy: signer.id,
    ...(previous === undefined ? noExtensions : copyExtensions(previous.content)),
  });
}

/** The extensions of the revision before, unchanged. None of them is critical: with one, it could not have been opened. */
function copyExtensions({ extensions, critical }: EnvelopeContent) {
  return { extensions, critical };
}
