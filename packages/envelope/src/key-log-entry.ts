import {
  createKeyLogLine,
  deriveReplyKey,
  type KeyLogEntry,
  type KeyLogHead,
  type KeyLogSigners,
  keyLogFormat,
  type LoggedKey,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import type { EnvelopeHead } from "./envelope-checks.ts";
import type { Member } from "./member.ts";
import type { PersonalKey } from "./personal-key.ts";
import { RefusalError } from "./refusal.ts";
import { importSigningKey, signLine } from "./signature.ts";
import { hashOf } from "./text.ts";

/** A key that signs entries of key logs: its public half, and its private one. */
export interface KeyLogSigner {
  readonly publicKey: string;
  readonly signingKey: CryptoKey;
}

/**
 * One more entry of a form's key log, signed, as text to add at its end; without `before` the first one. Throws a `TypeError` where the
 * log would not take it. SPECIFICATION.md section 20.
 */
export function createKeyLogEntry(
  before: VerifiedKeyLog | undefined,
  content: Pick<KeyLogEntry, "formId" | "key"> & KeyLogSigners,
  { publicKey, signingKey }: KeyLogSigner,
  now?: number,
): Promise<string> {
  return signLine(keyLogFormat, createKeyLogLine(before, { ...content, signedBy: publicKey }, now), signingKey);
}

/** A version of a form's key as key logs name it: its reply key follows from its seed, where it has one. */
export async function toLoggedKey(
  formId: string,
  key: Omit<LoggedKey, "replyKey"> & { readonly seed?: string | null },
): Promise<LoggedKey> {
  const { version, fingerprint, hybridFingerprint, seed = null } = key;
  const replyKey = seed === null ? null : (await deriveReplyKey(seed, { formId, version })).replyKey;
  return { version, fingerprint, hybridFingerprint, replyKey };
}

export interface KeyLogContinuation {
  readonly formId: string;
  /** The key that the entry names: the newest one, or the next version. */
  readonly key: LoggedKey;
  /** Who may sign from then on, where an owner signs this one; a manager's entry leaves it unchanged. Absent: nothing changes. */
  readonly signers?: KeyLogSigners | undefined;
}

/**
 * The entry of a key at the end of `log`, all of a form's key log, which is checked first. The first of `keys` that is an owner there signs it, otherwise the
 * first that is a manager. Rejects with a `RefusalError`: `not_allowed` where it names none of them, or the one that it names may not write this entry:
 * as a manager who renews it, or has the last of their places. Without bytes it is the first entry, signed by the first of `keys` that `signers` has.
 */
export async function continueKeyLog(
  log: Bytes,
  { formId, key, signers }: KeyLogContinuation,
  keys: readonly Pick<PersonalKey, "signingKey" | "signingSeed">[],
): Promise<string> {
  const before = log.length === 0 ? undefined : await verifyKeyLog(log, { formId });
  if (typeof before === "string") throw new RefusalError(before);
  const named = before?.entry ?? signers;
  if (named === undefined) throw new RefusalError("not_allowed");
  const owner = keys.find(({ signingKey }) => named.owners.includes(signingKey));
  const signing = owner ?? keys.find(({ signingKey }) => named.managers.includes(signingKey));
  if (signing === undefined) throw new RefusalError("not_allowed");
  const { owners, managers } = (owner || before === undefined ? signers : undefined) ?? named;
  const signer = { publicKey: signing.signingKey, signingKey: await importSigningKey(signing.signingSeed) };
  // Everything else that no log takes was looked at: what is left is an entry that its signer may not write.
  const line = asRefusal(() => createKeyLogLine(before, { formId, key, owners, managers, signedBy: signer.publicKey }));
  return signLine(keyLogFormat, line, signer.signingKey);
}

function asRefusal<Value>(make: () => Value): Value {
  try {
    return make();
  } catch (error) {
    if (error instanceof TypeError) throw new RefusalError("not_allowed");
    throw error;
  }
}

/**
 * The head of a form's key log for the revision that `writer` writes with a new entry of it; without one owners alone say that there is no log any
 * longer.
 */
export async function findKeyLogHead(
  entry: string | undefined,
  { keyLog }: Pick<EnvelopeHead, "keyLog">,
  { role }: Pick<Member, "role">,
): Promise<KeyLogHead | null> {
  if (entry === undefined) return role === "owner" ? null : keyLog;
  const [line = ""] = entry.split("\n");
  return { number: JSON.parse(line).number, hash: await hashOf(line) };
}
