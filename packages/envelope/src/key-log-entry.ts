import { createKeyLogLine, type KeyLogEntry, keyLogFormat, type VerifiedKeyLog } from "@sealpost/wire";
import { signLine } from "./signature.ts";

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
