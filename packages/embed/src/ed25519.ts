import { verifyAsync } from "@noble/ed25519";
import type { VerifyEd25519 } from "@sealpost/wire";
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

const verifyByLibrary: VerifyEd25519 = async (publicKey, signature, data) => {
  await nextTask();
  // The rules of RFC 8032, which browsers follow as well.
  return verifyAsync(signature, data, publicKey, { zip215: false }).catch(() => false);
};
