import { decodeBase64Url, encodeBase64Url, parseSignatureLine, signedBytes, verifySignedLine } from "@sealpost/wire";
import { check } from "./refusal.ts";

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

/** The two lines of an object that is one content and its signature, each as received. */
export interface SignedLines {
  readonly line: string;
  readonly signature: Uint8Array<ArrayBuffer>;
}

/** Refused unless the text is two lines, each of which ends with a line feed, and the first has so many bytes at most. Nothing else of it is looked at. */
export function splitSigned(text: string, lineBytesMax: number): SignedLines {
  const [line = "", signatureLine = "", end, ...more] = text.split("\n");
  check(end === "" && more.length === 0, "malformed");
  check(new TextEncoder().encode(line).length <= lineBytesMax, "malformed");
  return { line, signature: parseSignature(signatureLine) };
}

/** The 64 bytes in a line that `signLine` wrote second; refused if it has any other form. */
export function parseSignature(line: string): Uint8Array<ArrayBuffer> {
  const bytes = parseSignatureLine(line);
  check(bytes !== undefined, "malformed");
  return bytes;
}

/** Refused unless `signature` is that of the line by `publicKey`. */
export async function verifyLine(
  format: string,
  line: string,
  signature: Uint8Array<ArrayBuffer>,
  publicKey: string,
): Promise<void> {
  check(await verifySignedLine(format, line, signature, publicKey), "not_signed");
}
