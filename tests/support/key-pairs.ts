import type { KeyPair } from "@sealpost/wire";
import primeTexts from "./key-primes.json" with { type: "json" };

/** Primes of 1536 bits, with the two highest set: any two of them make a modulus of 3072 bits. */
const primes = primeTexts.map((text) => BigInt(`0x${Buffer.from(text, "base64url").toString("hex")}`));
const exponent = 65_537n;

/** Every pair of the stock, once. */
export function* makeKeyPairs(): Generator<KeyPair, undefined> {
  for (const [index, p] of primes.entries()) for (const q of primes.slice(0, index)) yield createKeyPair(p, q);
}

const pairs = makeKeyPairs();

/**
 * A key pair that this process has not had before, of 2,016. Looking for primes takes up to a second of processor time for a
 * pair, which is spent only where a test is about the making: these are made of 64 known ones, and so protect nothing.
 */
export function takeKeyPair(): KeyPair {
  const { value } = pairs.next();
  if (value === undefined) throw new Error("All key pairs are taken");
  return value;
}

/** RFC 8017, section 3.2. */
function createKeyPair(p: bigint, q: bigint): KeyPair {
  const publicKey = { kty: "RSA", n: encode(p * q), e: encode(exponent) } as const;
  const d = invert(exponent, (p - 1n) * (q - 1n));
  const [dp, dq, qi] = [d % (p - 1n), d % (q - 1n), invert(q, p)];
  return {
    publicKey,
    privateKey: {
      ...publicKey,
      d: encode(d),
      p: encode(p),
      q: encode(q),
      dp: encode(dp),
      dq: encode(dq),
      qi: encode(qi),
    },
  };
}

/** By Euclid's algorithm, extended. */
function invert(value: bigint, modulus: bigint): bigint {
  let [remainder, next] = [modulus, value];
  let [factor, nextFactor] = [0n, 1n];
  while (next !== 0n) {
    const quotient = remainder / next;
    [remainder, next] = [next, remainder - quotient * next];
    [factor, nextFactor] = [nextFactor, factor - quotient * nextFactor];
  }
  return factor < 0n ? factor + modulus : factor;
}

function encode(number: bigint): string {
  const digits = number.toString(16);
  return Buffer.from(digits.padStart(digits.length + (digits.length % 2), "0"), "hex").toString("base64url");
}
