import { encodeBase64 } from "../base64.ts";
import type { Bytes } from "../bytes.ts";
import { decodePublicKey, type HybridPublicKey } from "../hybrid-keys.ts";
import { additionalData, type Binding, hybridVersion } from "../payload.ts";
import { createNobleKem } from "./noble-kem.ts";

/** How a foreign, careless or hostile sealer may differ from `sealHybrid`. */
export interface HybridDeviation {
  readonly plaintext: Bytes;
  readonly contentKey: Bytes;
  readonly iv: Bytes;
  /** 64 bytes that the encapsulation would draw. */
  readonly drawn: Bytes;
  /** Additional data of `data`. */
  readonly additionalData?: Bytes;
  /** The `info` of the content key. */
  readonly info?: Bytes;
  readonly aad?: Bytes;
  readonly mode?: number;
  /** HPKE's numbers of KEM, KDF and AEAD. */
  readonly suite?: readonly [kem: number, kdf: number, aead: number];
  /** The number of the message. */
  readonly sequence?: number;
  /** Without HPKE: AES-GCM under the shared secret itself, with an iv of zeros. */
  readonly isRaw?: boolean;
}

/** Seals by the letter of SPECIFICATION.md and RFC 9180, without the code of `sealHybrid`, and deviates on request. */
export async function foreignHybridSeal(binding: Binding, publicKey: HybridPublicKey, deviation: HybridDeviation) {
  const bound = additionalData(binding, hybridVersion);
  const { plaintext, contentKey, iv, drawn } = deviation;
  const data = await encrypt(contentKey, iv, deviation.additionalData ?? bound, plaintext);
  const recipient = decodePublicKey(publicKey.pub);
  if (recipient === undefined) throw new TypeError("Not a hybrid public key");
  const { sharedSecret, encapsulated } = await createNobleKem(drawn).encapsulate(recipient);
  const [key, nonce] = deviation.isRaw
    ? [sharedSecret, new Uint8Array(12)]
    : await schedule(sharedSecret, deviation.info ?? bound, deviation);
  const sealed = await encrypt(key, nonce, deviation.aad ?? new Uint8Array(), contentKey);
  return {
    encrypted: true as const,
    version: hybridVersion,
    data: encodeBase64(data),
    key: encodeBase64(new Uint8Array([...encapsulated, ...sealed])),
    iv: encodeBase64(iv),
  };
}

async function encrypt(key: Bytes, iv: Bytes, bound: Bytes, plaintext: Bytes): Promise<Bytes> {
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  return new Uint8Array(await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData: bound }, aes, plaintext));
}

async function schedule(
  sharedSecret: Bytes,
  info: Bytes,
  { mode = 0, suite = [0x647a, 1, 2], sequence = 0 }: HybridDeviation,
): Promise<readonly [key: Bytes, nonce: Bytes]> {
  const name = [...text("HPKE"), ...suite.flatMap((id) => [id >> 8, id & 255])];
  const extract = (salt: Iterable<number>, label: string, material: Iterable<number>) =>
    hmac(new Uint8Array(salt), [...text("HPKE-v1"), ...name, ...text(label), ...material]);
  const expand = async (secret: Bytes, label: string, context: Iterable<number>, length: number) =>
    (await hmac(secret, [0, length, ...text("HPKE-v1"), ...name, ...text(label), ...context, 1])).slice(0, length);
  const context = [mode, ...(await extract([], "psk_id_hash", [])), ...(await extract([], "info_hash", info))];
  const secret = await extract(sharedSecret, "secret", []);
  const nonce = await expand(secret, "base_nonce", context, 12);
  nonce[11] = (nonce[11] ?? 0) ^ sequence;
  return [await expand(secret, "key", context, 32), nonce];
}

async function hmac(key: Bytes, message: Iterable<number>): Promise<Bytes> {
  const filled = new Uint8Array(64);
  filled.set(key);
  const imported = await crypto.subtle.importKey("raw", filled, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", imported, new Uint8Array([...message])));
}

function text(value: string): Bytes {
  return new TextEncoder().encode(value);
}
