import { createPublicKey, type KeyObject, verify } from "node:crypto";

/** The checksums of a release, and next to them 64 bytes of Ed25519 over them, as `openssl pkeyutl -verify -rawin` takes it. */
export const checksumsFile = "SHA256SUMS";
export const signatureFile = "SHA256SUMS.sig";

/** A public key in PEM, or `undefined` for anything else, keys of other algorithms included. */
export function parseSigner(pem: string): KeyObject | undefined {
  // A private key would be taken too, and nobody should have it here.
  if (!/^-----BEGIN PUBLIC KEY-----/m.test(pem)) return undefined;
  try {
    const key = createPublicKey(pem);
    return key.asymmetricKeyType === "ed25519" ? key : undefined;
  } catch {
    return undefined;
  }
}

export function isSignedBy(signer: KeyObject, bytes: Uint8Array, signature: Uint8Array): boolean {
  return verify(null, bytes, signer, signature);
}
