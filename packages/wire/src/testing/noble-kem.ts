import { ml_kem768_x25519 } from "@noble/post-quantum/hybrid.js";
import type { Kem } from "../kem.ts";

/** The key encapsulation of a library: for runtimes without one, and as a second opinion. */
export const nobleKem: Kem = createNobleKem();

/** The same with what it would draw, 64 bytes, fixed: X-Wing's EncapsulateDerand. */
export function createNobleKem(drawn?: Uint8Array): Kem {
  return {
    publicKeyOf: async (seed) => new Uint8Array(ml_kem768_x25519.keygen(seed).publicKey),
    async encapsulate(publicKey) {
      const { sharedSecret, cipherText } = ml_kem768_x25519.encapsulate(publicKey, drawn);
      return { sharedSecret: new Uint8Array(sharedSecret), encapsulated: new Uint8Array(cipherText) };
    },
    importSeed: async (seed) => seed,
    async decapsulate(key, encapsulated) {
      if (!(key instanceof Uint8Array)) throw new TypeError("A key of another implementation");
      return new Uint8Array(ml_kem768_x25519.decapsulate(encapsulated, key));
    },
  };
}
