import { decodeBase64Url, type KeyHalves } from "@sealpost/wire";

type Bytes = Uint8Array<ArrayBuffer>;

/** X25519 (RFC 7748), one half of a hybrid key. */
export interface X25519 {
  /** The public key of a private one, 32 bytes each. */
  publicKeyOf(privateKey: Bytes): Promise<Bytes>;
  /** Not exportable where the browser has keys of this kind; else the private key itself. */
  importKey(privateKey: Bytes): Promise<KeyHalves["x25519"]>;
  /** The shared secret, 32 bytes. Rejects for a public key of small order. */
  agree(key: KeyHalves["x25519"], publicKey: Bytes): Promise<Bytes>;
}

const name = "X25519";
/** PKCS #8 (RFC 8410) before the 32 bytes of a private key: WebCrypto takes those in no shorter form. */
const pkcs8Head = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20);

/**
 * The browser's own, in Chromium from 133 and Firefox from 130 on; `undefined` where it has none, or where its keys do not reach a
 * worker (WebKitGTK 2.50 makes null of them). No browser says so without being tried.
 */
export async function findNativeX25519(): Promise<X25519 | undefined> {
  try {
    const key = structuredClone(await importKey(new Uint8Array(32).fill(1), false));
    return key instanceof CryptoKey ? nativeX25519 : undefined;
  } catch {
    return undefined;
  }
}

export const nativeX25519: X25519 = {
  async publicKeyOf(privateKey) {
    const { x = "" } = await crypto.subtle.exportKey("jwk", await importKey(privateKey, true));
    const publicKey = decodeBase64Url(x);
    if (publicKey === undefined) throw new Error("This browser exports incomplete keys");
    return publicKey;
  },
  importKey: (privateKey) => importKey(privateKey, false),
  async agree(key, publicKey) {
    if (!(key instanceof CryptoKey)) throw new TypeError("A key of another implementation");
    const other = await crypto.subtle.importKey("raw", publicKey, name, false, []);
    return new Uint8Array(await crypto.subtle.deriveBits({ name, public: other }, key, 256));
  },
};

function importKey(privateKey: Bytes, isExtractable: boolean): Promise<CryptoKey> {
  const pkcs8 = new Uint8Array([...pkcs8Head, ...privateKey]);
  return crypto.subtle.importKey("pkcs8", pkcs8, name, isExtractable, ["deriveBits"]);
}
