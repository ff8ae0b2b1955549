import { type Bytes, encodeText, ownParameters } from "./bytes.ts";
import { concatenate, prefix } from "./hpke.ts";
import { type DecapsulationKey, encapsulatedBytes, type Kem } from "./kem.ts";

/** Values that all messages of the suite have in common: the salt of LabeledExtract without one, the label of the secret, and the hash of no shared key. */
interface Suite {
  readonly noSalt: CryptoKey;
  readonly secretLabel: CryptoKey;
  readonly pskIdHash: ArrayBuffer;
}

/** Kept, and platforms asked as seldom as they can be, since many messages are opened one after the other. */
let suite: Promise<Suite> | undefined;

/** The plaintext that `sealToHybrid` sealed. Rejects when it was changed, or sealed to another key or under another `info`. */
export async function openWithHybrid(kem: Kem, key: DecapsulationKey, info: Bytes, sealed: Bytes): Promise<Bytes> {
  suite ??= prepareSuite();
  const { noSalt, secretLabel, pskIdHash } = await suite;
  const [salt, infoHash] = await Promise.all([
    kem.decapsulate(key, sealed.slice(0, encapsulatedBytes)),
    extract(noSalt, "info_hash", info),
  ]);
  // KeySchedule, as for sealing, but that the platform keeps the key.
  const context = concatenate([0], pskIdHash, infoHash);
  const labelled = (label: string, length: number) => ({
    ...{ name: "HKDF", hash: "SHA-256", salt },
    info: concatenate([0, length], prefix, encodeText(label), context),
  });
  const [derived, iv] = await Promise.all([
    crypto.subtle.deriveKey(labelled("key", 32), secretLabel, { name: "AES-GCM", length: 256 }, false, ["decrypt"]),
    crypto.subtle.deriveBits(labelled("base_nonce", 12), secretLabel, 12 * 8),
  ]);
  const parameters = ownParameters({ name: "AES-GCM", iv });
  return new Uint8Array(await crypto.subtle.decrypt(parameters, derived, sealed.slice(encapsulatedBytes)));
}

async function prepareSuite(): Promise<Suite> {
  const hmac = ownParameters({ name: "HMAC", hash: "SHA-256" });
  const [noSalt, secretLabel] = await Promise.all([
    crypto.subtle.importKey("raw", new Uint8Array(32), hmac, false, ["sign"]),
    crypto.subtle.importKey("raw", concatenate(prefix, encodeText("secret")), "HKDF", false, [
      "deriveKey",
      "deriveBits",
    ]),
  ]);
  return { noSalt, secretLabel, pskIdHash: await extract(noSalt, "psk_id_hash", []) };
}

function extract(noSalt: CryptoKey, label: string, material: ArrayLike<number>): Promise<ArrayBuffer> {
  return crypto.subtle.sign("HMAC", noSalt, concatenate(prefix, encodeText(label), material));
}
