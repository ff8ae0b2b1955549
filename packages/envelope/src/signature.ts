import { encodeBase64Url, parseSignatureLine, signedBytes, verifySignedLine } from "@sealpost/wire";
import { check } from "./refusal.ts";

export { importSigningKey, signingKeyOf } from "@sealpost/wire";

const algorithm = "Ed25519";

/** The line, and the line with its signature by `signingKey`, each with its line feed. `format` is that of the line. */
export async function signLine(format: string, line: string, signingKey: CryptoKey): Promise<string> {
  return `${line}\n{"signature":"${await signContent(format, line, signingKey)}"}\n`;
}

/** The signature of the line with a label, which need not be its format: base64url of 64 bytes. */
export async function signContent(label: string, line: string, signingKey: CryptoKey): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.sign(algorithm, signingKey, signedBytes(label, line))));
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
