import { decodeShortBase64Url } from "./base64.ts";
import { concatenate, ownParameters } from "./bytes.ts";

const algorithm = "Ed25519";
/** PKCS #8 (RFC 8410 section 7) up to the private key: WebCrypto takes private keys in this form alone. */
const pkcs8Prefix = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

/** The private half of a signing key, from base64url of the 32 bytes of RFC 8032's private key. It can't be exported. */
export function importSigningKey(privateKey: string): Promise<CryptoKey> {
  return importPrivateKey(privateKey, false);
}

/** The public half of a signing key, base64url of 32 bytes. */
export async function signingKeyOf(privateKey: string): Promise<string> {
  const { x } = await crypto.subtle.exportKey("jwk", await importPrivateKey(privateKey, true));
  if (x === undefined) throw new Error("This platform exports incomplete keys");
  return x;
}

function importPrivateKey(privateKey: string, isExportable: boolean): Promise<CryptoKey> {
  const bytes = decodeShortBase64Url(privateKey);
  if (bytes?.length !== 32) throw new TypeError("Not the seed of a signing key: base64url of 32 bytes is needed");
  const pkcs8 = concatenate(pkcs8Prefix, bytes);
  return crypto.subtle.importKey("pkcs8", pkcs8, ownParameters({ name: algorithm }), isExportable, ["sign"]);
}
