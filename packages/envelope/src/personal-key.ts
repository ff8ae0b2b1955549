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

/** A fresh personal key: a hybrid identity of age (ML-KEM-768 and X25519) and an Ed25519 key pair. */
export async function generatePersonalKey(): Promise<PersonalKey> {
  const identity = await generateHybridIdentity();
  const signingSeed = encodeBase64Url(crypto.getRandomValues(new Uint8Array(32)));
  const recipient = await identityToRecipient(identity);
  return { identity, recipient, signingSeed, signingKey: await signingKeyOf(signingSeed) };
}
