import { encodeBase64Url } from "../base64.ts";
import { vectorKeys } from "./vector-keys.ts";

/** The key of RFC 7638 section 3.1, whose thumbprint the RFC gives. */
const rfc7638 = {
  kty: "RSA",
  n: "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMstn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDKgw",
  e: "AQAB",
};

/** vectors/public-keys.json: keys with their fingerprints, and what must be refused as a public key. */
export function publicKeyVectors() {
  return {
    accepted: [
      { name: "RFC 7638 section 3.1", publicKey: rfc7638, fingerprint: "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs" },
      ...Object.entries(vectorKeys).map(([name, { publicKey, fingerprint }]) => ({ name, publicKey, fingerprint })),
    ],
    refused: Object.entries(refusedKeys()).map(([name, publicKey]) => ({ name, publicKey })),
  };
}

function refusedKeys(): Record<string, unknown> {
  const { publicKey, privateKey } = vectorKeys.first;
  const { n } = publicKey;
  const privateMembers = { d: privateKey.d, p: privateKey.p, q: privateKey.q, dp: privateKey.dp, dq: privateKey.dq };
  return {
    null: null,
    "a string": JSON.stringify(publicKey),
    "a number": 65537,
    "a list": [publicKey],
    "an empty object": {},
    "no kty": { n, e: "AQAB" },
    "no n": { kty: "RSA", e: "AQAB" },
    "no e": { kty: "RSA", n },
    "kty in lower case": { kty: "rsa", n, e: "AQAB" },
    "an elliptic curve key": { kty: "EC", crv: "P-256", x: "AA", y: "AA" },
    "a symmetric key": { kty: "oct", k: "AAAA" },
    "n a number": { kty: "RSA", n: 3, e: "AQAB" },
    "n empty": { kty: "RSA", n: "", e: "AQAB" },
    "512 bits": { kty: "RSA", n: modulus(512), e: "AQAB" },
    "1024 bits": { kty: "RSA", n: modulus(1024), e: "AQAB" },
    "2047 bits": { kty: "RSA", n: modulus(2047), e: "AQAB" },
    "4097 bits": { kty: "RSA", n: modulus(4097), e: "AQAB" },
    "8192 bits": { kty: "RSA", n: modulus(8192), e: "AQAB" },
    "over 16384 bits": { kty: "RSA", n: "f".repeat(2734), e: "AQAB" },
    "even n": { kty: "RSA", n: modulus(3072, 0), e: "AQAB" },
    "n all zero": { kty: "RSA", n: "A".repeat(512), e: "AQAB" },
    "n with a leading zero byte": { kty: "RSA", n: encodeBase64Url(modulusBytesOf(3072, 1, 1)), e: "AQAB" },
    "n with padding": { kty: "RSA", n: `${modulus(2048)}==`, e: "AQAB" },
    "n in standard base64": { kty: "RSA", n: `+/${n.slice(2)}`, e: "AQAB" },
    "n with white space": { kty: "RSA", n: ` ${n}`, e: "AQAB" },
    "n with a line break at its end": { kty: "RSA", n: `${n}\n`, e: "AQAB" },
    "n with stray bits in its last character": { kty: "RSA", n: modulus(2048).replace(/.$/, "R"), e: "AQAB" },
    "e 1": { kty: "RSA", n, e: "AQ" },
    "e 3": { kty: "RSA", n, e: "Aw" },
    "e 65536": { kty: "RSA", n, e: "AQAA" },
    "e with a leading zero byte": { kty: "RSA", n, e: "AAEAAQ" },
    "e a number": { kty: "RSA", n, e: 65537 },
    "the private key": privateKey,
    ...Object.fromEntries(
      Object.entries(privateMembers).map(([name, value]) => [
        `the private member ${name}`,
        { ...publicKey, [name]: value },
      ]),
    ),
    "the member alg": { ...publicKey, alg: "RSA-OAEP-256" },
    "the member key_ops": { ...publicKey, key_ops: ["encrypt"] },
    "the member kid": { ...publicKey, kid: "1" },
    "the member x5u": { ...publicKey, x5u: "https://example.com/" },
  };
}

function modulus(bits: number, last = 1): string {
  return encodeBase64Url(modulusBytesOf(bits, last, 0));
}

/** A number of exactly `bits` bits, no product of two primes: only its shape is looked at. */
function modulusBytesOf(bits: number, last: number, leadingZeros: number): Uint8Array {
  const bytes = new Uint8Array(leadingZeros + Math.ceil(bits / 8)).fill(0xa5, leadingZeros);
  bytes[leadingZeros] = 1 << ((bits - 1) % 8);
  bytes[bytes.length - 1] = last;
  return bytes;
}
