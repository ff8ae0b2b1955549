import { decodeShortBase64Url, encodeBase64Url } from "./base64.ts";
import { concatenate, drawBytes, encodeText } from "./bytes.ts";
import { hkdf } from "./hkdf.ts";
import { signingKeyOf } from "./signing-key.ts";

// SPECIFICATION.md, section 2: everything that readers of a form share without a message in between follows from the seed of a key version.

/** Whose seed it is. */
export interface SeededVersion {
  readonly formId: string;
  readonly version: number;
}

/** An Ed25519 key pair by which readers of a form sign replies; both halves are base64url of 32 bytes. */
export interface ReplyKeyPair {
  /** RFC 8032's private key, as `importSigningKey` takes it. */
  readonly privateKey: string;
  /** The public half, as the entries of key logs name it. */
  readonly replyKey: string;
}

const versionSeedBytes = 32;
const replyLabel = "sealpost-reply-signing/1";
const hashLabel = "sealpost-seed/1";

/** A fresh seed of a key version: base64url of 32 random bytes. It is as secret as the version's private keys. */
export function createVersionSeed(): string {
  return encodeBase64Url(drawBytes(versionSeedBytes));
}

/** Whether this text has the form of a seed: base64url of 32 bytes. */
export function isVersionSeed(value: unknown): value is string {
  return typeof value === "string" && decodeShortBase64Url(value)?.length === versionSeedBytes;
}

/** The reply key of a version, which follows from its seed. Throws a `TypeError` for what is no seed. */
export async function deriveReplyKey(seed: string, { formId, version }: SeededVersion): Promise<ReplyKeyPair> {
  const info = encodeText(`${replyLabel}\n${formId}\n${version}`);
  const [bytes] = await hkdf(decodeSeed(seed), new Uint8Array(), [info, 32]);
  const privateKey = encodeBase64Url(new Uint8Array(bytes));
  return { privateKey, replyKey: await signingKeyOf(privateKey) };
}

/** The hash by which heads name a seed: base64url of SHA-256. Throws a `TypeError` for what is no seed. */
export async function hashVersionSeed(seed: string, { formId, version }: SeededVersion): Promise<string> {
  const bytes = concatenate(encodeText(`${hashLabel}\n${formId}\n${version}\n`), decodeSeed(seed));
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)));
}

function decodeSeed(seed: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeShortBase64Url(seed);
  if (bytes?.length !== versionSeedBytes) throw new TypeError("Not the seed of a key version: base64url of 32 bytes");
  return bytes;
}
