import { x25519 } from "@noble/curves/ed25519.js";
import type { X25519 } from "./x25519.ts";

/** A library's, for browsers whose own is missing or loses its keys. */
export const libraryX25519: X25519 = {
  publicKeyOf: async (privateKey) => new Uint8Array(x25519.getPublicKey(privateKey)),
  importKey: async (privateKey) => privateKey.slice(),
  async agree(key, publicKey) {
    if (!(key instanceof Uint8Array)) throw new TypeError("A key of another implementation");
    return new Uint8Array(x25519.getSharedSecret(key, publicKey));
  },
};
