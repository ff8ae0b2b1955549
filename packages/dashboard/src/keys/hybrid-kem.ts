import { sha3_256, shake256 } from "@noble/hashes/sha3.js";
import type { OpeningKey } from "@sealpost/sdk";
import { decodeBase64Url, type Kem, type KeyHalves } from "@sealpost/wire";
import { findNativeMlKem, type MlKem } from "./ml-kem.ts";

/**
 * MLKEM768-X25519 (SPECIFICATION.md section 2: X-Wing, draft-connolly-cfrg-xwing-kem) out of its two halves, in place of the
 * browser's own: Chromium 156 loses a hybrid CryptoKey on its way to a worker, another tab or the database, and other browsers
 * have none. The X25519 half is always a CryptoKey that can't be exported, so nobody reads out a key that opens.
 */
export async function findHybridKem(): Promise<Kem | undefined> {
  if (!(await hasX25519())) return undefined;
  return createHybridKem(findNativeMlKem() ?? (await loadLibraryMlKem()));
}

async function loadLibraryMlKem(): Promise<MlKem> {
  return (await import("./library-ml-kem.ts")).libraryMlKem;
}

/** Loads what opening with these keys needs beyond `findHybridKem`, so that a script that does not come is no failure to open. */
export async function prepareKeys(keys: readonly OpeningKey[]): Promise<void> {
  const isOfLibrary = ({ hybrid }: OpeningKey) =>
    hybrid !== undefined && "mlKem" in hybrid.decapsulationKey && isLibraryKey(hybrid.decapsulationKey.mlKem);
  if (keys.some(isOfLibrary)) await loadLibraryMlKem();
}

/** A browser that has learned ML-KEM since may have remembered such a key. */
function isLibraryKey(key: KeyHalves["mlKem"]): key is Bytes {
  return key instanceof Uint8Array;
}

type Bytes = Uint8Array<ArrayBuffer>;

const mlKemSeedBytes = 64;
const mlKemPublicKeyBytes = 1184;
const mlKemCiphertextBytes = 1088;
const label = new TextEncoder().encode("\\.//^\\");

export function createHybridKem(mlKem: MlKem): Kem {
  return {
    async publicKeyOf(seed) {
      const { mlKemSeed, x25519Key } = expand(seed);
      return join(await mlKem.publicKeyOf(mlKemSeed), await x25519PublicKeyOf(x25519Key));
    },
    async importSeed(seed) {
      const { mlKemSeed, x25519Key } = expand(seed);
      return {
        mlKem: await mlKem.importSeed(mlKemSeed),
        x25519: await importX25519(x25519Key),
        x25519PublicKey: await x25519PublicKeyOf(x25519Key),
      };
    },
    async encapsulate(publicKey) {
      const recipient = publicKey.slice(mlKemPublicKeyBytes);
      const inner = await mlKem.encapsulate(publicKey.slice(0, mlKemPublicKeyBytes));
      const own = crypto.getRandomValues(new Uint8Array(32));
      const ephemeral = await x25519PublicKeyOf(own);
      const agreed = await agree(await importX25519(own), recipient);
      const sharedSecret = combine(inner.sharedSecret, agreed, ephemeral, recipient);
      return { sharedSecret, encapsulated: join(inner.ciphertext, ephemeral) };
    },
    async decapsulate(key, encapsulated) {
      if (key instanceof Uint8Array || !("x25519" in key)) throw new TypeError("A key of another implementation");
      const ephemeral = encapsulated.slice(mlKemCiphertextBytes);
      const own = isLibraryKey(key.mlKem) ? await loadLibraryMlKem() : mlKem;
      const [secret, agreed] = await Promise.all([
        own.decapsulate(key.mlKem, encapsulated.slice(0, mlKemCiphertextBytes)),
        agree(key.x25519, ephemeral),
      ]);
      return combine(secret, agreed, ephemeral, key.x25519PublicKey);
    },
  };
}

/** expandDecapsulationKey of the draft, without ML-KEM's own expansion. */
function expand(seed: Bytes): { readonly mlKemSeed: Bytes; readonly x25519Key: Bytes } {
  const expanded = new Uint8Array(shake256(seed, { dkLen: mlKemSeedBytes + 32 }));
  return { mlKemSeed: expanded.slice(0, mlKemSeedBytes), x25519Key: expanded.slice(mlKemSeedBytes) };
}

/** Combiner of the draft. */
function combine(secret: Bytes, agreed: Bytes, ephemeral: Bytes, publicKey: Bytes): Bytes {
  return new Uint8Array(sha3_256(join(secret, agreed, ephemeral, publicKey, label)));
}

const x25519 = "X25519";
/** PKCS #8 (RFC 8410) before the 32 bytes of a private key: WebCrypto takes those in no shorter form. */
const pkcs8Head = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x6e, 4, 0x22, 4, 0x20);

function importX25519(key: Bytes, isExtractable = false): Promise<CryptoKey> {
  return crypto.subtle.importKey("pkcs8", join(pkcs8Head, key), x25519, isExtractable, ["deriveBits"]);
}

async function x25519PublicKeyOf(key: Bytes): Promise<Bytes> {
  const { x = "" } = await crypto.subtle.exportKey("jwk", await importX25519(key, true));
  const publicKey = decodeBase64Url(x);
  if (publicKey === undefined) throw new Error("This browser exports incomplete keys");
  return publicKey;
}

async function agree(key: CryptoKey, publicKey: Bytes): Promise<Bytes> {
  const other = await crypto.subtle.importKey("raw", publicKey, x25519, false, []);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: x25519, public: other }, key, 256));
}

/**
 * Chromium from 133 and Firefox from 130 on. No browser says so without being tried: WebKitGTK 2.50 refuses a key of zeros, and
 * loses every such key on its way to a worker.
 */
function hasX25519(): Promise<boolean> {
  return importX25519(new Uint8Array(32).fill(1))
    .then((key) => structuredClone(key) instanceof CryptoKey)
    .catch(() => false);
}

function join(...parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
