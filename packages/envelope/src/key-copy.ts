import { formatTime, type Unchecked } from "@sealpost/wire";
import { Decrypter, Encrypter, type Identity, type Recipient } from "age-encryption";
import { decryptWith, encryptTo } from "./age-file.ts";
import type { Bytes } from "./age-header.ts";
import { type CopyKind, findCopyKind, scryptWorkFactor } from "./copy-form.ts";
import { type PersonalKey, recipientOf } from "./personal-key.ts";
import { hybridSeedOf } from "./recipient.ts";
import { type CopyReason, catchRefusal, check, RefusalError } from "./refusal.ts";
import { signingKeyOf } from "./signature.ts";
import { checkCritical, decodeText, parse32Bytes, parseExtensions, parseLine, parseText, parseTime } from "./text.ts";

/** The secret that opens a copy of a personal key: a passphrase, the identity of a sheet or device, or a passkey's PRF. */
export type CopySecret =
  | { readonly passphrase: string }
  | { readonly identity: string }
  | { readonly passkey: Identity };

/** The one who opens a copy, by passphrase, key or passkey. */
export type CopyRecipient =
  | { readonly passphrase: string }
  | { readonly recipient: string }
  | { readonly passkey: Recipient };

/** The part of a personal key that each copy holds. */
export type KeyInCopy = Pick<PersonalKey, "identity" | "signingSeed" | "seed" | "extensions">;

/** The public halves that a copy's key has to have. */
export type PublicHalves = Pick<PersonalKey, "recipient" | "signingKey">;

export const copyFormat = "sealpost-personal-key/1";

/**
 * A copy of a personal key that one way opens, and nobody without it: a binary age file, SPECIFICATION.md section 16. With a
 * passphrase the runtime computes for a second, and does nothing else meanwhile.
 */
export async function sealKeyCopy(key: KeyInCopy, to: CopyRecipient, now: number = Date.now()): Promise<Bytes> {
  if (hybridSeedOf(key.identity) === undefined) throw new TypeError("The identity of a personal key is a hybrid one");
  const text = formatPersonalKey(key, now);
  if ("recipient" in to) return encryptTo([to.recipient], text);
  const encrypter = new Encrypter();
  if ("passkey" in to) encrypter.addRecipient(to.passkey);
  else {
    encrypter.setScryptWorkFactor(scryptWorkFactor);
    encrypter.setPassphrase(normalizePassphrase(to.passphrase));
  }
  return new Uint8Array(await encrypter.encrypt(text));
}

/**
 * The personal key in a copy, or why there is none. With `expected`, the public halves that are known on another way, only
 * that key is opened. Rejects with the passkey's own error where its prompt was closed, or it has no PRF.
 */
export function openKeyCopy(
  file: Bytes,
  secret: CopySecret,
  expected?: PublicHalves,
): Promise<PersonalKey | RefusalError<CopyReason>> {
  return catchRefusal<PersonalKey, CopyReason>(open(file, secret, expected));
}

async function open(file: Bytes, secret: CopySecret, expected: PublicHalves | undefined): Promise<PersonalKey> {
  // Before any of it is computed: a server could make a work factor of 30 out of one of 18.
  check(findCopyKind(file) === kindOfSecret(secret), "malformed");
  const key = await parseContent(decodeText(await decrypt(file, secret)));
  const isExpected =
    expected === undefined || (expected.recipient === key.recipient && expected.signingKey === key.signingKey);
  check(isExpected, "other_key");
  return key;
}

function kindOfSecret(secret: CopySecret): CopyKind {
  if ("passphrase" in secret) return "passphrase";
  return "passkey" in secret ? "passkey" : "identity";
}

async function decrypt(file: Bytes, secret: CopySecret): Promise<Bytes> {
  if ("identity" in secret) return decryptWith(secret.identity, file, "wrong_secret");
  const decrypter = new Decrypter();
  if ("passphrase" in secret) {
    decrypter.addPassphrase(normalizePassphrase(secret.passphrase));
    return decryptWith(decrypter, file, "wrong_secret");
  }
  // A prompt that was closed says nothing about the file.
  let failure: unknown;
  decrypter.addIdentity({
    unwrapFileKey: async (stanzas) => {
      try {
        return await secret.passkey.unwrapFileKey(stanzas);
      } catch (error) {
        failure = error;
        throw error;
      }
    },
  });
  try {
    return await decryptWith(decrypter, file, "wrong_secret");
  } catch (refusal) {
    throw failure ?? refusal;
  }
}

/** The personal key in an identity file that is an opened copy of one; `undefined` for any other text. */
export async function parsePersonalKey(text: string): Promise<PersonalKey | undefined> {
  const key = await catchRefusal(parseContent(text));
  return key instanceof RefusalError ? undefined : key;
}

/** An opened copy as text: an identity file that programs of age take with `-i`. */
export function formatPersonalKey(
  { identity, signingSeed, seed, extensions }: KeyInCopy,
  now: number = Date.now(),
): string {
  const content = { format: copyFormat, signingSeed, seed, createdAt: formatTime(now), extensions, critical: [] };
  return `# ${JSON.stringify(parseComment(content))}\n${identity}\n`;
}

async function parseContent(text: string): Promise<PersonalKey> {
  const [, line = "", identity = ""] = /^# (\{.*\})\n(\S+)\n$/.exec(text) ?? [];
  const content = parseLine(line, parseComment);
  check(hybridSeedOf(identity) !== undefined, "malformed");
  checkCritical(content);
  const { signingSeed, seed, extensions } = content;
  const [recipient, signingKey] = await Promise.all([recipientOf(identity), signingKeyOf(signingSeed)]);
  return { identity, recipient, signingSeed, signingKey, seed, extensions };
}

/** The comment's members, in the order in which they are written. */
function parseComment(value: Unchecked) {
  const { format, signingSeed, seed, createdAt } = value;
  return {
    format: parseText(format, /^sealpost-personal-key\/1$/),
    signingSeed: parse32Bytes(signingSeed),
    seed: parse32Bytes(seed),
    createdAt: parseTime(createdAt),
    ...parseExtensions(value),
  };
}

/** The same on each keyboard: Unicode's NFC, and one space wherever there is white space between words. */
export function normalizePassphrase(passphrase: string): string {
  return passphrase.normalize("NFC").trim().replace(/\s+/g, " ");
}
