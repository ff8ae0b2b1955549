import { decodeBase64Url, type KeyHalves } from "@sealpost/wire";

type Bytes = Uint8Array<ArrayBuffer>;

/** ML-KEM-768 (FIPS 203), one half of a hybrid key. */
export interface MlKem {
  /** The public key, 1,184 bytes, of a seed of 64 bytes. */
  publicKeyOf(seed: Bytes): Promise<Bytes>;
  /** Rejects when that is no public key. */
  encapsulate(publicKey: Bytes): Promise<{ readonly sharedSecret: Bytes; readonly ciphertext: Bytes }>;
  /** Not exportable where the browser has keys of this kind; else ML-KEM's decapsulation key. */
  importSeed(seed: Bytes): Promise<KeyHalves["mlKem"]>;
  decapsulate(key: KeyHalves["mlKem"], ciphertext: Bytes): Promise<Bytes>;
}

const name = "ML-KEM-768";

/** Methods that TypeScript does not know yet (WICG, Modern Algorithms in the Web Cryptography API). */
interface EncapsulatingSubtle {
  encapsulateBits(name: string, key: CryptoKey): Promise<{ sharedKey: ArrayBuffer; ciphertext: ArrayBuffer }>;
  decapsulateBits(name: string, key: CryptoKey, ciphertext: Bytes): Promise<ArrayBuffer>;
  importKey(format: string, bytes: Bytes, name: string, isExtractable: boolean, usages: string[]): Promise<CryptoKey>;
  exportKey(format: "jwk", key: CryptoKey): Promise<{ readonly pub?: string }>;
}

/** The browser's own; `undefined` where it has none. */
export function findNativeMlKem(): MlKem | undefined {
  const { supports } = globalThis.SubtleCrypto as { supports?: (operation: string, name: string) => boolean };
  if (!supports?.call(globalThis.SubtleCrypto, "encapsulateBits", name)) return undefined;
  const subtle = crypto.subtle as unknown as EncapsulatingSubtle; // just asked
  return {
    async publicKeyOf(seed) {
      const { pub = "" } = await subtle.exportKey(
        "jwk",
        await subtle.importKey("raw-seed", seed, name, true, ["decapsulateBits"]),
      );
      const publicKey = decodeBase64Url(pub);
      if (publicKey === undefined) throw new Error("This browser exports incomplete keys");
      return publicKey;
    },
    async encapsulate(publicKey) {
      const key = await subtle.importKey("raw-public", publicKey, name, false, ["encapsulateBits"]);
      const { sharedKey, ciphertext } = await subtle.encapsulateBits(name, key);
      return { sharedSecret: new Uint8Array(sharedKey), ciphertext: new Uint8Array(ciphertext) };
    },
    importSeed: (seed) => subtle.importKey("raw-seed", seed, name, false, ["decapsulateBits"]),
    async decapsulate(key, ciphertext) {
      if (!(key instanceof CryptoKey)) throw new TypeError("A key of another implementation");
      return new Uint8Array(await subtle.decapsulateBits(name, key, ciphertext));
    },
  };
}
