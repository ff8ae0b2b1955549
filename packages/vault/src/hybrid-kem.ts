import { sha3_256, shake256 } from "@noble/hashes/sha3.js";
import type { Kem, KeyHalves } from "@sealpost/wire";
import { findNativeMlKem, type MlKem } from "./ml-kem.ts";
import { findNativeX25519, type X25519 } from "./x25519.ts";

/**
 * MLKEM768-X25519 (SPECIFICATION.md section 2: X-Wing, draft-connolly-cfrg-xwing-kem) out of its two halves, in place of the
 * browser's own: Chromium 156 loses a hybrid CryptoKey on its way to a worker, another tab or the database, and other browsers
 * have none. Each half is a CryptoKey that can't be exported where the browser has such keys, so nobody reads out a key that opens;
 * elsewhere a library does the work, and the key stays in this page's memory (sealed-key.ts).
 */
export async function findHybridKem(): Promise<Kem> {
  return createHybridKem(
    findNativeMlKem() ?? (await loadLibraryMlKem()),
    (await findNativeX25519()) ?? (await loadLibraryX25519()),
  );
}

async function loadLibraryMlKem(): Promise<MlKem> {
  return (await import("./library-ml-kem.ts")).libraryMlKem;
}

async function loadLibraryX25519(): Promise<X25519> {
  return (await import("./library-x25519.ts")).libraryX25519;
}

/** A browser that has learned ML-KEM since may have remembered such a key. */
function isLibraryKey(key: KeyHalves["mlKem"] | KeyHalves["x25519"]): key is Bytes {
  return key instanceof Uint8Array;
}

type Bytes = Uint8Array<ArrayBuffer>;

const mlKemSeedBytes = 64;
const mlKemPublicKeyBytes = 1184;
const mlKemCiphertextBytes = 1088;
const label = new TextEncoder().encode("\\.//^\\");

export function createHybridKem(mlKem: MlKem, x25519: X25519): Kem {
  return {
    async publicKeyOf(seed) {
      const { mlKemSeed, x25519Key } = expand(seed);
      return join(await mlKem.publicKeyOf(mlKemSeed), await x25519.publicKeyOf(x25519Key));
    },
    async importSeed(seed) {
      const { mlKemSeed, x25519Key } = expand(seed);
      return {
        mlKem: await mlKem.importSeed(mlKemSeed),
        x25519: await x25519.importKey(x25519Key),
        x25519PublicKey: await x25519.publicKeyOf(x25519Key),
      };
    },
    async encapsulate(publicKey) {
      const recipient = publicKey.slice(mlKemPublicKeyBytes);
      const inner = await mlKem.encapsulate(publicKey.slice(0, mlKemPublicKeyBytes));
      const own = crypto.getRandomValues(new Uint8Array(32));
      const ephemeral = await x25519.publicKeyOf(own);
      const agreed = await x25519.agree(await x25519.importKey(own), recipient);
      const sharedSecret = combine(inner.sharedSecret, agreed, ephemeral, recipient);
      return { sharedSecret, encapsulated: join(inner.ciphertext, ephemeral) };
    },
    async decapsulate(key, encapsulated) {
      if (key instanceof Uint8Array || !("x25519" in key)) throw new TypeError("A key of another implementation");
      const ephemeral = encapsulated.slice(mlKemCiphertextBytes);
      const ownMlKem = isLibraryKey(key.mlKem) ? await loadLibraryMlKem() : mlKem;
      const ownX25519 = isLibraryKey(key.x25519) ? await loadLibraryX25519() : x25519;
      const [secret, agreed] = await Promise.all([
        ownMlKem.decapsulate(key.mlKem, encapsulated.slice(0, mlKemCiphertextBytes)),
        ownX25519.agree(key.x25519, ephemeral),
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

function join(...parts: readonly Uint8Array[]): Bytes {
  const joined = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    joined.set(part, offset);
    offset += part.length;
  }
  return joined;
}
