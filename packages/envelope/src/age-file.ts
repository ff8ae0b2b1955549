import { Decrypter, Encrypter } from "age-encryption";
import type { Bytes } from "./age-header.ts";
import { createHybridIdentity, createHybridRecipient, hasNativeHybrid } from "./hybrid-age.ts";
import { hybridSeedOf } from "./recipient.ts";
import { RefusalError } from "./refusal.ts";

/** A binary age file for these recipients, which are all hybrid. */
export async function encryptTo(recipients: readonly string[], text: string | Bytes): Promise<Bytes> {
  const encrypter = new Encrypter();
  const isNative = await hasNativeHybrid();
  for (const recipient of recipients) {
    encrypter.addRecipient(isNative ? createHybridRecipient(recipient) : recipient);
  }
  return new Uint8Array(await encrypter.encrypt(text));
}

/**
 * The plaintext of an age file; refused where it is for nobody with this identity or passphrase (`foreign`), or was changed.
 * Check its header before.
 */
export async function decryptWith(
  identity: string | Decrypter,
  file: Bytes,
  foreign: "not_a_reader" | "wrong_secret" = "not_a_reader",
): Promise<Bytes> {
  const decrypter = typeof identity === "string" ? await createDecrypter(identity) : identity;
  try {
    return new Uint8Array(await decrypter.decrypt(file));
  } catch (error) {
    // The library's own words for a header without a stanza for this identity; everything else is damage.
    const isForeign = error instanceof Error && /no identity matched/i.test(error.message);
    throw new RefusalError(isForeign ? foreign : "malformed");
  }
}

async function createDecrypter(identity: string): Promise<Decrypter> {
  const decrypter = new Decrypter();
  const seed = hybridSeedOf(identity);
  decrypter.addIdentity(seed !== undefined && (await hasNativeHybrid()) ? createHybridIdentity(seed) : identity);
  return decrypter;
}
