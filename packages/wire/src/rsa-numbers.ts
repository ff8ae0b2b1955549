import { decodeBase64Url } from "./base64.ts";
import type { PrivateKey } from "./keys.ts";

const publicExponent = 65537n;

/**
 * Whether the numbers of a private key belong together (SPECIFICATION.md section 2). Importing proves nothing of it: libraries take the
 * modulus of one key with the private numbers of another, which opens nothing.
 */
export function belongTogether(privateKey: Omit<PrivateKey, "kty" | "e">): boolean {
  const number = (name: "n" | "d" | "p" | "q" | "dp" | "dq" | "qi") => toInteger(privateKey[name]);
  const [n, d, p, q] = [number("n"), number("d"), number("p"), number("q")];
  return (
    p > 1n &&
    q > 1n &&
    p * q === n &&
    d < n &&
    (publicExponent * d) % (p - 1n) === 1n &&
    (publicExponent * d) % (q - 1n) === 1n &&
    number("dp") === d % (p - 1n) &&
    number("dq") === d % (q - 1n) &&
    number("qi") < p &&
    (number("qi") * q) % p === 1n
  );
}

/** Big-endian. Throws for what is no base64url, and for zero bytes in front, which Chromium refuses and Firefox takes. */
function toInteger(text: string): bigint {
  const bytes = decodeBase64Url(text);
  if (!bytes?.[0]) throw new TypeError("Not base64url of a number");
  return bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
}
