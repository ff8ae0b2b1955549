import { decodeBase64Url } from "./base64.ts";
import type { Bytes } from "./bytes.ts";

/**
 * Key encapsulation MLKEM768-X25519: X-Wing (draft-connolly-cfrg-xwing-kem), HPKE's KEM 0x647a (draft-ietf-hpke-pq). What is
 * encapsulated stays secret as long as one of ML-KEM-768 and X25519 holds. A runtime has it natively, or a library brings it.
 */
export interface Kem extends Encapsulator {
  /** The public key, 1,216 bytes, of a private key's seed, 32 bytes. */
  publicKeyOf(seed: Bytes): Promise<Bytes>;
  /** The private key of a seed, not exportable where the runtime allows. */
  importSeed(seed: Bytes): Promise<DecapsulationKey>;
  /** The shared secret; another, pseudorandom one for bytes that were not encapsulated to this key. */
  decapsulate(key: DecapsulationKey, encapsulated: Bytes): Promise<Bytes>;
}

/** The half of it that sealing needs, so that a page's script has nothing that opens. */
export interface Encapsulator {
  /** Draws a shared secret of 32 bytes, and encapsulates it to a public key: 1,120 bytes. Rejects when that is no public key. */
  encapsulate(publicKey: Bytes): Promise<Encapsulated>;
}

export interface Encapsulated {
  readonly sharedSecret: Bytes;
  readonly encapsulated: Bytes;
}

/** A private key of the runtime, its two halves, or, where it has none of this kind, the seed. */
export type DecapsulationKey = CryptoKey | KeyHalves | Bytes;

/**
 * Expansion of a seed, for runtimes that have no hybrid keys, or lose them: Chromium 156 makes null of a hybrid CryptoKey
 * that goes to another thread or into a database, but not of these. To be made from the seed and never kept instead of it.
 */
export interface KeyHalves {
  /** A key of the runtime, or for a library ML-KEM's decapsulation key, 2,400 bytes. Without the other half it opens nothing. */
  readonly mlKem: CryptoKey | Bytes;
  /** A key of the runtime, or for a library the private key, 32 bytes. */
  readonly x25519: CryptoKey | Bytes;
  /** 32 bytes, which the shared secret is derived from too. */
  readonly x25519PublicKey: Bytes;
}

export const kemName = "MLKEM768-X25519";
export const seedBytes = 32;
export const kemPublicKeyBytes = 1216;
export const encapsulatedBytes = 1120;

/** Methods of the runtime that TypeScript does not know yet (WICG, Modern Algorithms in the Web Cryptography API). */
interface EncapsulatingSubtle {
  encapsulateBits(name: string, key: CryptoKey): Promise<{ sharedKey: ArrayBuffer; ciphertext: ArrayBuffer }>;
  decapsulateBits(name: string, key: CryptoKey, ciphertext: Bytes): Promise<ArrayBuffer>;
  importKey(format: string, bytes: Bytes, name: string, isExtractable: boolean, usages: string[]): Promise<CryptoKey>;
  exportKey(format: "jwk", key: CryptoKey): Promise<{ readonly pub?: string }>;
}

/** The runtime's own; `undefined` where it has none. */
export function findNativeKem(): Kem | undefined {
  const encapsulator = findNativeEncapsulator();
  if (encapsulator === undefined) return undefined;
  const subtle = crypto.subtle as unknown as EncapsulatingSubtle; // just asked
  return {
    ...encapsulator,
    async publicKeyOf(seed) {
      const key = await subtle.importKey("raw-seed", seed, kemName, true, ["decapsulateBits"]);
      const { pub } = await subtle.exportKey("jwk", key);
      const publicKey = pub === undefined ? undefined : decodeBase64Url(pub);
      if (publicKey === undefined) throw new Error("This platform exports incomplete keys");
      return publicKey;
    },
    importSeed: (seed) => subtle.importKey("raw-seed", seed, kemName, false, ["decapsulateBits"]),
    async decapsulate(key, encapsulated) {
      if (!(key instanceof CryptoKey)) throw new TypeError("A key of another implementation");
      return new Uint8Array(await subtle.decapsulateBits(kemName, key, encapsulated));
    },
  };
}

/** The runtime's own encapsulation alone; `undefined` where it has none. */
export function findNativeEncapsulator(): Encapsulator | undefined {
  const platform = globalThis.SubtleCrypto as { supports?: (operation: string, name: string) => boolean };
  if (!platform.supports?.("encapsulateBits", kemName)) return undefined;
  const subtle = crypto.subtle as unknown as EncapsulatingSubtle; // just asked
  return {
    async encapsulate(publicKey) {
      const key = await subtle.importKey("raw-public", publicKey, kemName, false, ["encapsulateBits"]);
      const { sharedKey, ciphertext } = await subtle.encapsulateBits(kemName, key);
      return { sharedSecret: new Uint8Array(sharedKey), encapsulated: new Uint8Array(ciphertext) };
    },
  };
}

/** The runtime's key encapsulation. Throws an Error that says what is missing where there is none. */
export function requireNativeKem(): Kem {
  const kem = findNativeKem();
  if (kem === undefined)
    throw new Error(`This runtime has no ${kemName}: Node 26 or newer and Chromium have it, others need a library`);
  return kem;
}
