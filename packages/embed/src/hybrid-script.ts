import { ml_kem768_x25519 } from "@noble/post-quantum/hybrid.js";
import type { Encapsulator } from "@sealpost/wire";
import { encapsulatorMark } from "./hybrid.ts";

// A second script of the embed, loaded by the first for forms with a hybrid key, in browsers without this algorithm.

const encapsulator: Encapsulator = {
  async encapsulate(publicKey) {
    const { sharedSecret, cipherText } = ml_kem768_x25519.encapsulate(publicKey);
    return { sharedSecret: new Uint8Array(sharedSecret), encapsulated: new Uint8Array(cipherText) };
  },
};

Reflect.set(window, encapsulatorMark, encapsulator);
