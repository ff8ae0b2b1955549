import { littleEndian } from "@sealpost/wire";

/**
 * Keys that libraries treat in different ways, refused everywhere: other spellings of a number, points of small order, with which
 * shared secrets are nobody's own, and numbers outside of ML-KEM's field. SPECIFICATION.md section 23.
 */
const prime = 2n ** 255n - 19n;

/** Little-endian, the coordinates of RFC 7748's points whose order divides 8. */
const smallOrderX25519: ReadonlySet<bigint> = new Set([
  0n,
  1n,
  prime - 1n,
  0x00b8495f16056286fdb1329ceb8d09da6ac49ff1fae35616aeb8413b7c7aebe0n,
  0x57119fd0dd4e22d8868e1c58c45c44045bef839c55b1d0b1248c50a3bc959c5fn,
]);

/** Whether 32 bytes are a public key of X25519: a number below the prime, and of no small order. */
export function isX25519Key(bytes: Uint8Array): boolean {
  const number = littleEndian(bytes);
  return number < prime && !smallOrderX25519.has(number);
}

/** Whether the 12-bit numbers of an encapsulation key of ML-KEM-768, 1,184 bytes, are all below 3329 (FIPS 203 section 7.2). */
export function isMlKemKey(bytes: Uint8Array): boolean {
  for (let index = 0; index < 1152; index += 3) {
    const [low = 0, middle = 0, high = 0] = bytes.subarray(index, index + 3);
    if ((low | ((middle & 15) << 8)) >= 3329 || ((middle >> 4) | (high << 4)) >= 3329) return false;
  }
  return true;
}
