import { type Extended, encodeBase64Url } from "@sealpost/wire";
import { generateHybridIdentity, identityToRecipient } from "age-encryption";
import { signingKeyOf } from "./signature.ts";

/** A key that reads and signs. `recipient` and `signingKey` are public, the other two are for nobody else. */
export interface SigningKeys {
  /** To open with: `AGE-SECRET-KEY-PQ-1…`, which the `age` program takes as well. */
  readonly identity: string;
  readonly recipient: string;
  /** To sign with (Ed25519): base64url of 32 bytes. */
  readonly signingSeed: string;
  readonly signingKey: string;
}

/** A person's key, as each of its copies holds it. */
export interface PersonalKey extends SigningKeys {
  /** Base64url of 32 random bytes, as secret as the private halves: what only this person reads follows from it. */
  readonly seed: string;
  /** Additions of newer programs, which are put into every copy unchanged. */
  readonly extensions: Extended["extensions"];
}

/** An identity of age with its recipient: the half of a personal key that reads, and all that a program needs. */
export type ReadingKey = Pick<PersonalKey, "identity" | "recipient">;

/** A fresh hybrid identity of age (ML-KEM-768 and X25519). */
export async function generateReadingKey(): Promise<ReadingKey> {
  const identity = await generateHybridIdentity();
  return { identity, recipient: await recipientOf(identity) };
}

/** A fresh personal key: a hybrid identity of age, an Ed25519 key pair and a seed. */
export async function generatePersonalKey(): Promise<PersonalKey> {
  const [signingSeed, seed] = [draw32Bytes(), draw32Bytes()];
  const signingKey = await signingKeyOf(signingSeed);
  return { ...(await generateReadingKey()), signingSeed, signingKey, seed, extensions: {} };
}

function draw32Bytes(): string {
  return encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
}

/** The recipient of an identity of age. */
export function recipientOf(identity: string): Promise<string> {
  return identityToRecipient(identity);
}
