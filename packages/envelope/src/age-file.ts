import { Decrypter, Encrypter } from "age-encryption";
import { createHybridIdentity, createHybridRecipient, hasNativeHybrid } from "./hybrid-age.ts";
import { hybridSeedOf, kindOf, type RecipientKind } from "./recipient.ts";
import { check, RefusalError } from "./refusal.ts";

export type Bytes = Uint8Array<ArrayBuffer>;

/** A binary age file for these recipients, which are all of one kind. */
export async function encryptTo(recipients: readonly string[], text: string): Promise<Bytes> {
  const encrypter = new Encrypter();
  const isNative = await hasNativeHybrid();
  for (const recipient of recipients) {
    const isHybrid = kindOf(recipient) === "mlkem768x25519";
    encrypter.addRecipient(isHybrid && isNative ? createHybridRecipient(recipient) : recipient);
  }
  return new Uint8Array(await encrypter.encrypt(text));
}

/** The plaintext of an age file; refused where it is for nobody with this identity, or was changed. Check its header before. */
export async function decryptWith(identity: string, file: Bytes): Promise<Bytes> {
  const decrypter = new Decrypter();
  const seed = hybridSeedOf(identity);
  decrypter.addIdentity(seed !== undefined && (await hasNativeHybrid()) ? createHybridIdentity(seed) : identity);
  try {
    return new Uint8Array(await decrypter.decrypt(file));
  } catch (error) {
    // The library's own words for a header without a stanza for this identity; everything else is damage.
    const isForeign = error instanceof Error && /no identity matched/i.test(error.message);
    throw new RefusalError(isForeign ? "not_a_reader" : "malformed");
  }
}

/**
 * How many recipients the header of an age file has. Refused if they are of two kinds, or of one that is not for envelopes: a
 * passphrase, say, which a server could make take a minute to try.
 */
export function countStanzas(file: Bytes): number {
  const text = new TextDecoder("latin1").decode(file);
  const end = text.indexOf("\n--- ");
  check(text.startsWith("age-encryption.org/v1\n-> ") && end !== -1, "malformed");
  const types = [...text.slice(0, end).matchAll(/^-> (\S*)/gm)].map(([, type]) => type);
  const allowed: readonly (RecipientKind | undefined | string)[] = ["mlkem768x25519", "X25519"];
  check(new Set(types).size === 1 && allowed.includes(types[0]), "malformed");
  return types.length;
}
