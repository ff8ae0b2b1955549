import { type Bytes, concatenate, encodeText, ownParameters } from "./bytes.ts";
import { prefix } from "./hpke.ts";
import { type DecapsulationKey, encapsulatedBytes, type Kem } from "./kem.ts";

/** Values that all messages of the suite have in common: two keys, and how what goes through them begins. */
interface Suite {
  /** The salt of LabeledExtract without one. */
  readonly noSalt: CryptoKey;
  readonly secretLabel: CryptoKey;
  /** Followed by `info`. */
  readonly infoStart: Bytes;
  /** Followed by the hash of `info`, as `nonceStart` too. */
  readonly keyStart: Bytes;
  readonly nonceStart: Bytes;
}

/** Kept, and platforms asked as seldom as they can be, since many messages are opened one after the other. */
let suite: Promise<Suite> | undefined;

/** The plaintext that `sealToHybrid` sealed. Rejects when it was changed, or sealed to another key or under another `info`. */
export async function openWithHybrid(kem: Kem, key: DecapsulationKey, info: Bytes, sealed: Bytes): Promise<Bytes> {
  suite ??= prepareSuite();
  const { noSalt, secretLabel, infoStart, keyStart, nonceStart } = await suite;
  const [salt, hash] = await Promise.all([
    kem.decapsulate(key, sealed.slice(0, encapsulatedBytes)),
    crypto.subtle.sign("HMAC", noSalt, concatenate(infoStart, info)),
  ]);
  // KeySchedule, as for sealing, but that the platform keeps the key.
  const infoHash = new Uint8Array(hash);
  const labelled = (start: Bytes) => ({ name: "HKDF", hash: "SHA-256", salt, info: concatenate(start, infoHash) });
  const [derived, iv] = await Promise.all([
    crypto.subtle.deriveKey(labelled(keyStart), secretLabel, { name: "AES-GCM", length: 256 }, false, ["decrypt"]),
    crypto.subtle.deriveBits(labelled(nonceStart), secretLabel, 12 * 8),
  ]);
  const parameters = ownParameters({ name: "AES-GCM", iv });
  return new Uint8Array(await crypto.subtle.decrypt(parameters, derived, sealed.subarray(encapsulatedBytes)));
}

async function prepareSuite(): Promise<Suite> {
  const hmac = ownParameters({ name: "HMAC", hash: "SHA-256" });
  const labelled = (label: string) => concatenate(prefix, encodeText(label));
  const [noSalt, secretLabel] = await Promise.all([
    crypto.subtle.importKey("raw", new Uint8Array(32), hmac, false, ["sign"]),
    crypto.subtle.importKey("raw", labelled("secret"), "HKDF", false, ["deriveKey", "deriveBits"]),
  ]);
  const pskIdHash = new Uint8Array(await crypto.subtle.sign("HMAC", noSalt, labelled("psk_id_hash")));
  const expandStart = (label: string, length: number) =>
    concatenate(Uint8Array.of(0, length), labelled(label), Uint8Array.of(0), pskIdHash);
  return {
    noSalt,
    secretLabel,
    infoStart: labelled("info_hash"),
    keyStart: expandStart("key", 32),
    nonceStart: expandStart("base_nonce", 12),
  };
}
