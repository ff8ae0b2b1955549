import {
  decodeBase64Url,
  encodeBase64Url,
  findNativeKem,
  type HybridPrivateKey,
  hybridFingerprint,
  type PrivateKey,
} from "@sealpost/wire";
import { isPrivateKeyOf } from "@sealpost/wire/open";
import type { FormKey } from "./envelope-content.ts";
import { recipientOf } from "./personal-key.ts";
import { hybridIdentityOf, hybridKeyOf } from "./recipient.ts";
import { hashOf } from "./text.ts";

/** Hashes of keys that were found right. A key is checked once, and opened in as many envelopes and revisions as there are. */
const right = new Set<string>();
const rightMax = 10_000;

/** Whether every number of the private keys of a version is right, and both are the keys of their fingerprints. SPECIFICATION.md section 2. */
export async function isRightKey(key: FormKey): Promise<boolean> {
  // The whole key is checked: a fingerprint says nothing about the private numbers.
  const name = await hashOf(JSON.stringify(key));
  if (right.has(name)) return true;
  const isRight = (await isRsaKey(key)) && (await isHybridKey(key));
  if (isRight && right.size < rightMax) right.add(name);
  return isRight;
}

function isRsaKey({ fingerprint, privateKey }: { fingerprint: string; privateKey: PrivateKey }): Promise<boolean> {
  return isPrivateKeyOf(fingerprint, privateKey);
}

async function isHybridKey({ hybridFingerprint: expected, hybridPrivateKey: key }: FormKey): Promise<boolean> {
  if (key === null || expected === null) return true;
  const kem = findNativeKem();
  if (kem !== undefined) return isPrivateKeyOf(expected, key, kem);
  return key.pub === (await publicHalfOf(key)) && (await hybridFingerprint(key)) === expected;
}

/** For runtimes without hybrid keys: age's are of the same kind. */
async function publicHalfOf({ priv }: HybridPrivateKey): Promise<string | undefined> {
  const seed = decodeBase64Url(priv);
  if (seed?.length !== 32) return undefined;
  return encodeBase64Url(hybridKeyOf(await recipientOf(hybridIdentityOf(seed))));
}
