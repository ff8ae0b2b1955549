import { encodeBase64Url } from "@sealpost/wire";
import { generateHybridIdentity, identityToRecipient } from "age-encryption";
import { signingKeyOf } from "./signature.ts";

/** A person reads and signs with it. `recipient` and `signingKey` are public, the other two are for nobody else. */
export interface PersonalKey {
  /** To open with: `AGE-SECRET-KEY-PQ-1…`, which the `age` program takes as well. */
  readonly identity: string;
  readonly recipient: string;
  /** To sign with (Ed25519): base64url of 32 bytes. */
  readonly signingSeed: string;
  readonly signingKey: string;
}

/** An identity of age with its recipient: the half of a personal key that reads, and all that a program needs. */
export type ReadingKey = Pick<PersonalKey, "identity" | "recipient">;

/** A fresh hybrid identity of age (ML-KEM-768 and X25519). */
export async function generateReadingKey(): Promise<ReadingKey> {
  const identity = await generateHybridIdentity();
  return { identity, recipient: await recipientOf(identity) };
}

/** A fresh personal key: a hybrid identity of age and an Ed25519 key pair. */
export async function generatePersonalKey(): Promise<PersonalKey> {
  const signingSeed = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  return { ...(await generateReadingKey()), signingSeed, signingKey: await signingKeyOf(signingSeed) };
}

/** The recipient of an identity of age. */
export function recipientOf(identity: string): Promise<string> {
  return identityToRecipient(identity);
}
