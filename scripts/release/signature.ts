import { createPrivateKey, createPublicKey, sign, verify } from "node:crypto";

/** Next to the checksums: 64 bytes of Ed25519 over them, as `openssl pkeyutl -verify -rawin` takes it. */
export const signatureFile = "SHA256SUMS.sig";

/** Signs with a key in PEM (PKCS #8). Throws a sentence that names the variable and shows nothing of its value. */
export function signChecksums(checksums: Uint8Array, privateKey: string): Uint8Array {
  return sign(
    null,
    checksums,
    parse(() => createPrivateKey(privateKey), "SEALPOST_RELEASE_KEY is no private key in PEM"),
  );
}

export function isSignedBy(checksums: Uint8Array, signature: Uint8Array, publicKey: string): boolean {
  return verify(
    null,
    checksums,
    parse(() => createPublicKey(publicKey), "--key is no public key in PEM"),
    signature,
  );
}

function parse<Key extends { readonly asymmetricKeyType?: string | undefined }>(read: () => Key, message: string): Key {
  let key: Key;
  try {
    key = read();
  } catch {
    throw new Error(message);
  }
  if (key.asymmetricKeyType !== "ed25519") throw new Error(`${message} of Ed25519`);
  return key;
}
