import { decodeShortBase64Url, encodeBase64Url } from "./base64.ts";
import { encodeText } from "./bytes.ts";
import { isUsableEd25519, type VerifyEd25519 } from "./ed25519.ts";
import { isId } from "./ids.ts";
import {
  type Extended,
  formatTime,
  isTime,
  knowsCritical,
  noExtensions,
  parseContentLine,
  parseExtended,
  parseSignatureLine,
  type Unchecked,
  verifySignedLine,
} from "./signed-line.ts";

/** The format of key logs (SPECIFICATION.md, section 20). */
export const keyLogFormat = "sealpost-key-log/1";

export const keyLogEntriesMax = 1024;
export const keyLogLineBytesMax = 4096;
export const keyLogSignersMax = 32;

/** The key of a version, by its fingerprints. */
export interface LoggedKey {
  readonly version: number;
  readonly fingerprint: string;
  /** `null` where the version has no hybrid key. */
  readonly hybridFingerprint: string | null;
}

/** The content of an entry, its members in the order in which they are written. */
export interface KeyLogEntry extends Extended {
  readonly format: typeof keyLogFormat;
  readonly formId: string;
  /** From 1. */
  readonly number: number;
  /** The hash of the entry before; `null` in the first. */
  readonly previous: string | null;
  /** The writer's clock; trusted in nothing. */
  readonly writtenAt: string;
  /** The key that signs: one of `signers` of the entry before; of the first, one of its own. */
  readonly signedBy: string;
  readonly key: LoggedKey;
  /** The keys that may sign the next entry: ascending, 1 to 32. */
  readonly signers: readonly string[];
}

/** A place in a log: the number of an entry, and its hash, which fixes all entries before it. */
export interface KeyLogHead {
  readonly number: number;
  readonly hash: string;
}

export type KeyLogRefusal =
  | "malformed"
  | "forked"
  | "other_form"
  | "broken_chain"
  | "not_signed"
  | "not_allowed"
  | "unknown_extension";

export interface VerifiedKeyLog {
  readonly head: KeyLogHead;
  /** The newest entry. */
  readonly entry: KeyLogEntry;
  /** The entries that were checked, the first one included. */
  readonly entries: readonly KeyLogEntry[];
}

class Refused extends Error {}

/**
 * Checks a log from the entry on that is pinned, or from its first one; the entries before are fixed by the hash of the pinned one and
 * need not be there. Its checks, their order and what each refusal means are in SPECIFICATION.md section 20.
 */
export async function verifyKeyLog(
  bytes: Uint8Array,
  { formId, head }: { readonly formId: string; readonly head?: KeyLogHead | undefined },
  verify?: VerifyEd25519,
): Promise<VerifiedKeyLog | KeyLogRefusal> {
  try {
    return await check(splitLog(bytes), formId, head, verify);
  } catch (error) {
    if (error instanceof Refused) return error.message as KeyLogRefusal; // only `requireThat` throws one
    throw error;
  }
}

interface SignedLine {
  readonly line: string;
  readonly signatureLine: string;
}

async function check(
  lines: readonly SignedLine[],
  formId: string,
  head: KeyLogHead | undefined,
  verify: VerifyEd25519 | undefined,
): Promise<VerifiedKeyLog> {
  const entries: KeyLogEntry[] = [];
  let hash: string | null = null;
  for (const { line, signatureLine } of lines) {
    const isPinned = head !== undefined && entries.length === 0;
    const before = entries.at(-1);
    const lineHash = await hashOf(line);
    if (isPinned) requireThat(lineHash === head.hash, "forked");
    const entry = parseContentLine(line, parseEntry);
    const signature = parseSignatureLine(signatureLine);
    requireThat(entry !== undefined && signature !== undefined, "malformed");
    requireThat(entry.formId === formId, "other_form");
    if (isPinned) requireThat(entry.number === head.number, "broken_chain");
    else {
      requireThat(entry.number === (before?.number ?? 0) + 1 && entry.previous === hash, "broken_chain");
      const isSigner = (before ?? entry).signers.includes(entry.signedBy);
      const isSigned = isSigner && (await verifySignedLine(keyLogFormat, line, signature, entry.signedBy, verify));
      requireThat(isSigned, "not_signed");
      requireThat(before === undefined || mayFollow(entry.key, before.key), "not_allowed");
    }
    requireThat(knowsCritical(entry), "unknown_extension");
    entries.push(entry);
    hash = lineHash;
  }
  const entry = entries.at(-1);
  if (entry === undefined || hash === null) throw new Refused("malformed");
  return { head: { number: entry.number, hash }, entry, entries };
}

/** A later version; or the same key, where only the signers change. */
function mayFollow(after: LoggedKey, before: LoggedKey): boolean {
  return after.version > before.version || JSON.stringify(after) === JSON.stringify(before);
}

/** The content line of an entry that is to follow `before`, or that begins a log, to be signed. Throws a `TypeError` for what no log takes. */
export function createKeyLogLine(
  before: VerifiedKeyLog | undefined,
  content: Pick<KeyLogEntry, "formId" | "signedBy" | "key" | "signers">,
  now: number = Date.now(),
): string {
  const { formId, signedBy, key, signers } = content;
  const entry: KeyLogEntry = {
    format: keyLogFormat,
    formId,
    number: (before?.head.number ?? 0) + 1,
    previous: before?.head.hash ?? null,
    writtenAt: formatTime(now),
    signedBy,
    key: { version: key.version, fingerprint: key.fingerprint, hybridFingerprint: key.hybridFingerprint },
    signers: [...new Set(signers)].sort(),
    ...noExtensions,
  };
  const line = JSON.stringify(entry);
  try {
    requireThat(parseContentLine(line, parseEntry) !== undefined && entry.signers.every(isUsable), "malformed");
    requireThat((before?.entry ?? entry).signers.includes(signedBy), "not_signed");
    requireThat(before === undefined || mayFollow(key, before.entry.key), "not_allowed");
  } catch (error) {
    throw new TypeError("No key log takes this entry", { cause: error });
  }
  return line;
}

/** Everything that bounds the work is checked here; nothing is parsed. */
function splitLog(bytes: Uint8Array): readonly SignedLine[] {
  requireThat(bytes.length <= keyLogEntriesMax * (keyLogLineBytesMax + 105), "malformed");
  const lines = decode(bytes).split("\n");
  requireThat(lines.pop() === "" && lines.length % 2 === 0 && lines.length <= 2 * keyLogEntriesMax, "malformed");
  return lines.flatMap((line, index) => {
    if (index % 2) return [];
    requireThat(encodeText(line).length <= keyLogLineBytesMax, "malformed");
    return [{ line, signatureLine: lines[index + 1] ?? "" }];
  });
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Refused("malformed");
  }
}

function parseEntry(value: Unchecked): KeyLogEntry | undefined {
  const key = Object(value.key) as Unchecked; // each member is checked below
  const signers: unknown = value.signers;
  const extended = parseExtended(value);
  const isRight =
    value.format === keyLogFormat &&
    isId("form", value.formId) &&
    isCount(value.number) &&
    Number(value.number) <= keyLogEntriesMax &&
    (value.number === 1 ? value.previous === null : is32Bytes(value.previous)) &&
    isTime(value.writtenAt) &&
    is32Bytes(value.signedBy) &&
    isCount(key.version) &&
    is32Bytes(key.fingerprint) &&
    (key.hybridFingerprint === null || is32Bytes(key.hybridFingerprint)) &&
    Array.isArray(signers) &&
    signers.length > 0 &&
    signers.length <= keyLogSignersMax &&
    signers.every((signer, index) => is32Bytes(signer) && (index === 0 || signers[index - 1] < signer)) &&
    extended;
  if (!isRight) return undefined;
  const { format, formId, number, previous, writtenAt, signedBy } = value as unknown as KeyLogEntry; // each member was checked
  const { version, fingerprint, hybridFingerprint } = key as unknown as LoggedKey;
  return {
    ...{ format, formId, number, previous, writtenAt, signedBy },
    key: { version, fingerprint, hybridFingerprint },
    signers: signers as readonly string[],
    ...extended,
  };
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 1;
}

/** Base64url of 32 bytes: a hash, a fingerprint or a signing key. */
function is32Bytes(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/.test(value);
}

function isUsable(signer: string): boolean {
  return isUsableEd25519(decodeShortBase64Url(signer) ?? new Uint8Array());
}

async function hashOf(line: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(line))));
}

function requireThat(isRight: boolean, reason: KeyLogRefusal): asserts isRight {
  if (!isRight) throw new Refused(reason);
}
