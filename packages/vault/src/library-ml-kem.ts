import { ml_kem768 } from "@noble/post-quantum/ml-kem.js";
import type { MlKem } from "./ml-kem.ts";

/** A library's, for browsers without one of their own. Its keys are expanded once, not for every submission. */
export const libraryMlKem: MlKem = {
  publicKeyOf: async (seed) => new Uint8Array(ml_kem768.keygen(seed).publicKey),
  async encapsulate(publicKey) {
    const { sharedSecret, cipherText } = ml_kem768.encapsulate(publicKey);
    return { sharedSecret: new Uint8Array(sharedSecret), ciphertext: new Uint8Array(cipherText) };
  },
  importSeed: async (seed) => new Uint8Array(ml_kem768.keygen(seed).secretKey),
  async decapsulate(key, ciphertext) {
    if (!(key instanceof Uint8Array)) throw new TypeError("A key of another implementation");
    return new Uint8Array(ml_kem768.decapsulate(ciphertext, key));
  },
};
