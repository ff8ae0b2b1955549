import { littleEndian, type VerifyEd25519 } from "@sealpost/wire";
import { combine } from "./points.ts";
import { nextTask } from "./time-slices.ts";

/** The base point, which every browser that has the algorithm takes as a key. */
const basePoint = new Uint8Array(32).fill(0x66);
basePoint[0] = 0x58;

/**
 * Our own, where the browser has no Ed25519 (Chromium before 137, Safari before 17, Firefox before 129); else `undefined`. It takes some
 * milliseconds for each signature, so the page's own work comes between them.
 */
export async function findOwnEd25519(): Promise<VerifyEd25519 | undefined> {
  try {
    await crypto.subtle.importKey("raw", basePoint, "Ed25519", false, ["verify"]);
    return undefined;
  } catch {
    return verifyByPoints;
  }
}

/** The order of the base point. */
const groupOrder = 2n ** 252n + 27742317777372353535851937790883648493n;

/** The equation as browsers have it, by points.ts: a library's own `verify` has the factor 8, and takes signatures that they don't (SPECIFICATION.md, section 23). */
export const verifyByPoints: VerifyEd25519 = async (publicKey, signature, data) => {
  await nextTask();
  const first = signature.subarray(0, 32);
  const hashed = await new Blob([first, publicKey, data]).arrayBuffer();
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-512", hashed));
  const point = combine(littleEndian(signature.subarray(32)), littleEndian(hash) % groupOrder, publicKey);
  return point?.every((byte, index) => byte === first[index]) ?? false;
};
