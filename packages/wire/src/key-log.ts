import { decodeShortBase64Url, encodeBase64Url } from "./base64.ts";
import { encodeText } from "./bytes.ts";
import { isUsableEd25519, type VerifyEd25519 } from "./ed25519.ts";
import {
  copyKey,
  type KeyLogEntry,
  type KeyLogSigners,
  keyLogFormat,
  keyLogLineBytesMax,
  mayFollow,
  parseKeyLogEntry,
} from "./key-log-entry.ts";
import {
  formatTime,
  knowsCritical,
  noExtensions,
  parseContentLine,
  parseSignatureLine,
  verifySignedLine,
} from "./signed-line.ts";

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
    const entry = parseContentLine(line, parseKeyLogEntry);
    const signature = parseSignatureLine(signatureLine);
    requireThat(entry !== undefined && signature !== undefined, "malformed");
    requireThat(entry.formId === formId, "other_form");
    if (isPinned) requireThat(entry.number === head.number, "broken_chain");
    else {
      requireThat(entry.number === (before?.number ?? 0) + 1 && entry.previous === hash, "broken_chain");
      const { owners, managers } = before ?? entry;
      const isSigner = owners.includes(entry.signedBy) || managers.includes(entry.signedBy);
      const isSigned = isSigner && (await verifySignedLine(keyLogFormat, line, signature, entry.signedBy, verify));
      requireThat(isSigned, "not_signed");
      requireThat(mayFollow(entry, before), "not_allowed");
    }
    requireThat(knowsCritical(entry), "unknown_extension");
    entries.push(entry);
    hash = lineHash;
  }
  const entry = entries.at(-1);
  if (entry === undefined || hash === null) throw new Refused("malformed");
  return { head: { number: entry.number, hash }, entry, entries };
}

/** The content line of an entry that is to follow `before`, or that begins a log, to be signed. Throws a `TypeError` for what no log takes. */
export function createKeyLogLine(
  before: VerifiedKeyLog | undefined,
  content: Pick<KeyLogEntry, "formId" | "signedBy" | "key"> & KeyLogSigners,
  now: number = Date.now(),
): string {
  const { formId, signedBy, key } = content;
  const isManagers = before?.entry.owners.includes(signedBy) === false;
  const entry: KeyLogEntry = {
    format: keyLogFormat,
    formId,
    number: (before?.head.number ?? 0) + 1,
    place: isManagers ? before.entry.place + 1 : 1,
    previous: before?.head.hash ?? null,
    writtenAt: formatTime(now),
    signedBy,
    key: copyKey(key),
    owners: [...new Set(content.owners)].sort(),
    managers: [...new Set(content.managers)].sort(),
    ...noExtensions,
  };
  const line = JSON.stringify(entry);
  try {
    requireThat(
      parseContentLine(line, parseKeyLogEntry) !== undefined && findNamedKeys(entry).every(isUsable),
      "malformed",
    );
    const { owners, managers } = before?.entry ?? entry;
    requireThat([...owners, ...managers].includes(signedBy), "not_signed");
    requireThat(mayFollow(entry, before?.entry), "not_allowed");
  } catch (error) {
    throw new TypeError("No key log takes this entry", { cause: error });
  }
  return line;
}

/** The keys of Ed25519 in an entry, which writers have to have looked at; readers look at those that they verify by. */
export function findNamedKeys({ owners, managers, key }: Pick<KeyLogEntry, "owners" | "managers" | "key">) {
  return [...owners, ...managers, ...(key.replyKey === null ? [] : [key.replyKey])];
}

/** Lines are bounded before anything is parsed. Their number is not: each has to be signed, and readers ask for 128 at a time. */
function splitLog(bytes: Uint8Array): readonly SignedLine[] {
  const lines = decode(bytes).split("\n");
  requireThat(lines.pop() === "" && lines.length % 2 === 0, "malformed");
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

function isUsable(key: string): boolean {
  return isUsableEd25519(decodeShortBase64Url(key) ?? new Uint8Array());
}

async function hashOf(line: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", encodeText(line))));
}

function requireThat(isRight: boolean, reason: KeyLogRefusal): asserts isRight {
  if (!isRight) throw new Refused(reason);
}
