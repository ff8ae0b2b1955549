import { Point } from "@noble/ed25519";
import { littleEndian, type VerifyEd25519 } from "@sealpost/wire";
import { nextTask } from "./time-slices.ts";

/** The base point, which every browser that has the algorithm takes as a key. */
const basePoint = new Uint8Array(32).fill(0x66);
basePoint[0] = 0x58;

/**
 * The library's, where the browser has no Ed25519 (Chromium before 137, Safari before 17, Firefox before 129); else `undefined`. Its steps
 * take some milliseconds each, so the page's own work comes between them.
 */
export async function findLibraryEd25519(): Promise<VerifyEd25519 | undefined> {
  try {
    await crypto.subtle.importKey("raw", basePoint, "Ed25519", false, ["verify"]);
    return undefined;
  } catch {
    return verifyByLibrary;
  }
}

/** The order of the base point. */
const groupOrder = Point.CURVE().n;

/** The equation as browsers have it. The library's own `verify` has the factor 8, and takes signatures that they don't (SPECIFICATION.md, section 23). */
export const verifyByLibrary: VerifyEd25519 = async (publicKey, signature, data) => {
  await nextTask();
  const first = signature.subarray(0, 32);
  const hashed = await new Blob([first, publicKey, data]).arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-512", hashed));
  try {
    const key = Point.fromBytes(publicKey).multiply(littleEndian(hash) % groupOrder, false);
    const point = Point.BASE.multiply(littleEndian(signature.subarray(32)), false)
      .subtract(key)
      .toBytes();
    return point.every((byte, index) => byte === first[index]);
  } catch {
    return false; // no point of the curve
  }
};
