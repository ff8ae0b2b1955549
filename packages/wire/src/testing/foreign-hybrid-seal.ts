import { encodeBase64 } from "../base64.ts";
import { type Bytes, concatenate } from "../bytes.ts";
import { decodePublicKey, type HybridPublicKey } from "../hybrid-keys.ts";
import { additionalData, type Binding, hybridVersion } from "../payload.ts";
import { createNobleKem } from "./noble-kem.ts";
import { derive } from "./opening-vectors.ts";

/** How a foreign, careless or hostile sealer may differ from `sealHybrid`. */
export interface HybridDeviation {
  readonly plaintext: Bytes;
  readonly contentKey: Bytes;
  readonly iv: Bytes;
  /** 64 bytes that the encapsulation would draw. */
  readonly drawn: Bytes;
  /** Additional data of `data`. */
  readonly additionalData?: Bytes;
  /** Other inputs for the commitment. */
  readonly committed?: Partial<Derivation>;
  /** Other inputs for the cipher key. */
  readonly ciphered?: Partial<Derivation>;
  /** How `data` is put together instead. */
  readonly join?: (commitment: Bytes, ciphertext: Bytes) => readonly Bytes[];
  /** `data` without the 32 bytes of the commitment, as it was in the draft before: the content key encrypts it. */
  readonly isUncommitted?: boolean;
  /** Ciphertext and tag, which nothing is encrypted for. */
  readonly ciphertext?: Bytes;
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

/** The bytes that a sealer would draw, for the vector of this name. */
export async function drawFor(name: string) {
  const drawn = new Uint8Array(64);
  drawn.set(await derive("ML-KEM message", name, 32));
  drawn.set(await derive("X25519 key", name, 32), 32);
  return { contentKey: await derive("content key", name, 32), iv: await derive("iv", name, 12), drawn };
}

/** The inputs of HKDF for the 64 bytes of a payload. */
export interface Derivation {
  readonly contentKey: Bytes;
  readonly iv: Bytes;
  readonly bound: Bytes;
}

/** Seals by the letter of SPECIFICATION.md and RFC 9180, without the code of `sealHybrid`, and deviates on request. */
export async function foreignHybridSeal(binding: Binding, publicKey: HybridPublicKey, deviation: HybridDeviation) {
  const bound = additionalData(binding, hybridVersion);
  const { plaintext, contentKey, iv, drawn } = deviation;
  const { join = (commitment, ciphertext) => [commitment, ciphertext] } = deviation;
  const { cipherKey } = await deriveByHand({ contentKey, iv, bound, ...deviation.ciphered });
  const { commitment } = await deriveByHand({ contentKey, iv, bound, ...deviation.committed });
  const aesKey = deviation.isUncommitted ? contentKey : cipherKey;
  const ciphertext = deviation.ciphertext ?? (await encrypt(aesKey, iv, deviation.additionalData ?? bound, plaintext));
  const data = deviation.isUncommitted ? ciphertext : concatenate(...join(commitment, ciphertext));
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

/** HKDF-SHA256 (RFC 5869) by HMAC alone: 64 bytes, in halves. */
export async function deriveByHand({ contentKey, iv, bound }: Derivation) {
  const secret = await hmac(iv, contentKey);
  const cipherKey = await hmac(secret, [...bound, 1]);
  return { cipherKey, commitment: await hmac(secret, [...cipherKey, ...bound, 2]) };
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
