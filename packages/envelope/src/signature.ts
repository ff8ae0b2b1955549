import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import { isEd25519Point } from "./curve-keys.ts";
import { check, RefusalError } from "./refusal.ts";

const algorithm = "Ed25519";
/** PKCS #8 (RFC 8410 section 7) up to the seed: WebCrypto takes private keys in this form alone. */
const pkcs8Prefix = Uint8Array.of(0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20);

/** The private half of a signing key, from its seed (base64url of 32 bytes). It can't be exported. */
export function importSigningKey(seed: string): Promise<CryptoKey> {
  return importSeed(seed, false);
}

/** The public half of a signing key, base64url of 32 bytes. */
export async function signingKeyOf(seed: string): Promise<string> {
  const { x } = await crypto.subtle.exportKey("jwk", await importSeed(seed, true));
  if (x === undefined) throw new Error("This platform exports incomplete keys");
  return x;
}

function importSeed(seed: string, isExportable: boolean): Promise<CryptoKey> {
  const bytes = decodeBase64Url(seed);
  if (bytes?.length !== 32) throw new TypeError("Not the seed of a signing key: base64url of 32 bytes is needed");
  const pkcs8 = new Uint8Array([...pkcs8Prefix, ...bytes]);
  return crypto.subtle.importKey("pkcs8", pkcs8, algorithm, isExportable, ["sign"]);
}

/** The line, and the line with its signature by `signingKey`, each with its line feed. `format` is that of the line. */
export async function signLine(format: string, line: string, signingKey: CryptoKey): Promise<string> {
  const signature = await crypto.subtle.sign(algorithm, signingKey, signedBytes(format, line));
  return `${line}\n{"signature":"${encodeBase64Url(new Uint8Array(signature))}"}\n`;
}

/** The 64 bytes in a line that `signLine` wrote second; refused if it has any other form. */
export function parseSignature(line: string): Uint8Array<ArrayBuffer> {
  const bytes = decodeBase64Url(/^\{"signature":"([\w-]{86})"\}$/.exec(line)?.[1] ?? "");
  check(bytes?.length === 64, "malformed");
  return bytes;
}

/** Refused unless `signature` is that of the line by `publicKey`. */
export async function verifyLine(
  format: string,
  line: string,
  signature: Uint8Array<ArrayBuffer>,
  publicKey: string,
): Promise<void> {
  const bytes = decodeBase64Url(publicKey);
  if (bytes === undefined || !isEd25519Point(signature.subarray(0, 32))) throw new RefusalError("not_signed");
  // A key that is not on the curve can't be imported everywhere.
  const key = await crypto.subtle.importKey("raw", bytes, algorithm, false, ["verify"]).catch(() => undefined);
  const isRight =
    key !== undefined && (await crypto.subtle.verify(algorithm, key, signature, signedBytes(format, line)));
  check(isRight, "not_signed");
}

/** The format comes first, so that no signature of one kind is one of another. */
function signedBytes(format: string, line: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`${format}\n${line}`);
}
