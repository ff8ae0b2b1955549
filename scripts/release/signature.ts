import { createPrivateKey, sign } from "node:crypto";
import { isSignedBy, parseSigner } from "../../packages/cli/src/verify/signature.ts";

/** Signs with a key in PEM (PKCS #8). Throws a sentence that names the variable and shows nothing of its value. */
export function signChecksums(checksums: Uint8Array, privateKey: string): Uint8Array {
  return sign(null, checksums, parsePrivateKey(privateKey));
}

export function isSignedByKey(checksums: Uint8Array, signature: Uint8Array, publicKey: string): boolean {
  const signer = parseSigner(publicKey);
  if (signer === undefined) throw new Error("--key is no public key of Ed25519 in PEM");
  return isSignedBy(signer, checksums, signature);
}

function parsePrivateKey(pem: string) {
  const message = "SEALPOST_RELEASE_KEY is no private key in PEM";
  let key: ReturnType<typeof createPrivateKey>;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error(message);
  }
  if (key.asymmetricKeyType !== "ed25519") throw new Error(`${message} of Ed25519`);
  return key;
}
