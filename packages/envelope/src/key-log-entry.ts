import {
  createKeyLogLine,
  type KeyLogEntry,
  keyLogFormat,
  keyLogSignersMax,
  type LoggedKey,
  type VerifiedKeyLog,
  verifyKeyLog,
} from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import type { VerifiedList } from "./list.ts";
import type { PersonalKey } from "./personal-key.ts";
import { RefusalError } from "./refusal.ts";
import { importSigningKey, signLine } from "./signature.ts";

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
  content: Pick<KeyLogEntry, "formId" | "key" | "signers">,
  { publicKey, signingKey }: KeyLogSigner,
  now?: number,
): Promise<string> {
  return signLine(keyLogFormat, createKeyLogLine(before, { ...content, signedBy: publicKey }, now), signingKey);
}

/**
 * The entry of a key at the end of `log`, all of a form's key log, which is checked first. The first of `keys` that the log names signs it. Rejects
 * with a `RefusalError`: `not_allowed` where it names none of them. Without bytes it is the first entry, signed by the first of `keys` that `signers` has.
 */
export async function continueKeyLog(
  log: Bytes,
  content: { readonly formId: string; readonly key: LoggedKey; readonly signers: readonly string[] },
  keys: readonly Pick<PersonalKey, "signingKey" | "signingSeed">[],
): Promise<string> {
  const before = log.length === 0 ? undefined : await verifyKeyLog(log, { formId: content.formId });
  if (typeof before === "string") throw new RefusalError(before);
  const named = before?.entry.signers ?? content.signers;
  const signing = keys.find(({ signingKey }) => named.includes(signingKey));
  if (signing === undefined) throw new RefusalError("not_allowed");
  const signer = { publicKey: signing.signingKey, signingKey: await importSigningKey(signing.signingSeed) };
  return createKeyLogEntry(before, content, signer);
}

/**
 * The keys that may sign the next entry and are neither `own` nor those of an owner or manager of the list. Anyone who may begin a log names its
 * signers, and the first entry is signed by one of them: so a log that verifies may be continued by somebody whom nobody here knows.
 */
export function findStrangeSigners(
  { entry }: VerifiedKeyLog,
  list: VerifiedList | undefined,
  own: string | undefined,
): readonly string[] {
  const members = [...(list?.members.values() ?? [])].filter(({ role }) => role === "owner" || role === "manager");
  return entry.signers.filter((key) => key !== own && members.every(({ signingKey }) => signingKey !== key));
}

/** Who may sign the entry after: the writer first, then owners and managers of the list. A log names a number of signers at most; who has left may not. */
export function findKeyLogSigners({ members }: VerifiedList, own: string): readonly string[] {
  const ofRole = (role: string) =>
    [...members.values()].flatMap((member) =>
      member.role === role && member.signingKey !== null ? [member.signingKey] : [],
    );
  return [...new Set([own, ...ofRole("owner"), ...ofRole("manager")])].slice(0, keyLogSignersMax);
}
