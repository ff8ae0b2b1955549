import { type DecapsulationKey, encapsulatedBytes, type Kem } from "./kem.ts";
import { rsaAlgorithm } from "./keys.ts";
import { openWithHybrid } from "./open-hpke.ts";

const contentKeyBytes = 32;
const tagBytes = 16;

/** The content key that is sealed to a hybrid key under `bound`. Throws when there is none, or none of 32 bytes. */
export async function openHybridContentKey(
  kem: Kem,
  privateKey: DecapsulationKey,
  key: Uint8Array<ArrayBuffer>,
  bound: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  if (key.length !== encapsulatedBytes + contentKeyBytes + tagBytes) throw new Error("malformed");
  return openWithHybrid(kem, privateKey, bound, key);
}

/** The content key inside `key`. Throws when there is none, or none of 32 bytes. */
export async function decryptContentKey(
  privateKey: CryptoKey,
  key: Uint8Array<ArrayBuffer>,
): Promise<Uint8Array<ArrayBuffer>> {
  const decrypted = new Uint8Array(await crypto.subtle.decrypt(rsaAlgorithm, privateKey, key));
  const missing = contentKeyBytes - decrypted.length;
  if (missing === 0) return decrypted;
  if (missing < 0 || !(await dropsZeros())) throw new Error("malformed");
  const contentKey = new Uint8Array(contentKeyBytes);
  contentKey.set(decrypted, missing);
  return contentKey;
}

/** A fact of the platform, not a state: found once, by the first content key that is too short. */
let found: Promise<boolean> | undefined;

/**
 * Whether this platform's RSA-OAEP drops the zero bytes that what it decrypts begins with, as WebKitGTK does (seen in 2.50.6):
 * without the zeros put back, one submission in 256 would not open there. Elsewhere a short content key stays malformed.
 */
function dropsZeros(): Promise<boolean> {
  found ??= tryOut();
  return found;
}

async function tryOut(): Promise<boolean> {
  const parameters = { ...rsaAlgorithm, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) };
  const pair = await crypto.subtle.generateKey(parameters, false, ["encrypt", "decrypt"]);
  const sealed = await crypto.subtle.encrypt(rsaAlgorithm, pair.publicKey, new Uint8Array([0, 1]));
  return (await crypto.subtle.decrypt(rsaAlgorithm, pair.privateKey, sealed)).byteLength === 1;
}
