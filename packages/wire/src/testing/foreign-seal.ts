import { decodeBase64Url, encodeBase64 } from "../base64.ts";
import type { Bytes } from "../bytes.ts";
import { modulusBytes, type PublicKey, rsaAlgorithm } from "../keys.ts";
import { additionalData, type Binding, sealedVersion } from "../payload.ts";

/** How a foreign, careless or hostile sealer may differ from `seal`. */
export interface Deviation {
  readonly plaintext: Bytes;
  readonly contentKey: Bytes;
  readonly iv: Bytes;
  readonly additionalData?: Bytes;
  readonly tagBits?: number;
  readonly hash?: "SHA-1" | "SHA-256" | "SHA-512";
  readonly label?: Bytes;
  /** Instead of OAEP with the one hash throughout. */
  readonly padding?: "pkcs1" | "oaep with MGF1 of SHA-1";
}

/** Seals by the letter of SPECIFICATION.md, without the code of `seal`, and deviates on request. */
export async function foreignSeal(binding: Binding, publicKey: PublicKey, deviation: Deviation) {
  const { plaintext, contentKey, iv } = deviation;
  const aes = await crypto.subtle.importKey("raw", contentKey, "AES-GCM", false, ["encrypt"]);
  const data = await crypto.subtle.encrypt(
    {
      name: "AES-GCM",
      iv,
      additionalData: deviation.additionalData ?? additionalData(binding),
      tagLength: deviation.tagBits ?? 128,
    },
    aes,
    plaintext,
  );
  const key = await encryptContentKey(publicKey, deviation);
  return {
    encrypted: true as const,
    version: sealedVersion,
    data: encodeBase64(new Uint8Array(data)),
    key: encodeBase64(key),
    iv: encodeBase64(iv),
  };
}

async function encryptContentKey(publicKey: PublicKey, deviation: Deviation): Promise<Bytes> {
  const size = modulusBytes(publicKey);
  switch (deviation.padding) {
    case undefined:
      return encryptOaep(publicKey, deviation);
    case "pkcs1":
      return encryptRaw(publicKey, encodePkcs1(deviation.contentKey, size));
    default:
      return encryptRaw(publicKey, await encodeOaep(deviation.contentKey, size, "SHA-1"));
  }
}

async function encryptOaep(
  { kty, n, e }: PublicKey,
  { contentKey, hash = "SHA-256", label = new Uint8Array() }: Deviation,
): Promise<Bytes> {
  const rsa = await crypto.subtle.importKey("jwk", { kty, n, e }, { ...rsaAlgorithm, hash }, false, ["encrypt"]);
  return new Uint8Array(await crypto.subtle.encrypt({ name: "RSA-OAEP", label }, rsa, contentKey));
}

/** RSAES-PKCS1-v1_5 (RFC 8017 section 7.2.1) with fixed filling, which no opener may accept. WebCrypto does not have it. */
function encodePkcs1(message: Bytes, size: number): Bytes {
  const encoded = new Uint8Array(size).fill(0xa5);
  encoded.set([0, 2]);
  encoded[size - message.length - 1] = 0;
  encoded.set(message, size - message.length);
  return encoded;
}

/** EME-OAEP (RFC 8017 section 7.1.1) with SHA-256, a fixed seed and another hash inside MGF1, as Java does by default. */
async function encodeOaep(message: Bytes, size: number, maskHash: "SHA-1" | "SHA-256"): Promise<Bytes> {
  const labelHash = new Uint8Array(await crypto.subtle.digest("SHA-256", new Uint8Array()));
  const block = new Uint8Array(size - 33);
  block.set(labelHash);
  block[block.length - message.length - 1] = 1;
  block.set(message, block.length - message.length);
  const seed = new Uint8Array(32).fill(0xa5);
  const masked = mask(block, await generateMask(seed, block.length, maskHash));
  return new Uint8Array([0, ...mask(seed, await generateMask(masked, 32, maskHash)), ...masked]);
}

async function generateMask(seed: Bytes, size: number, hash: string): Promise<Bytes> {
  const bytes: number[] = [];
  for (let counter = 0; bytes.length < size; counter++) {
    const input = new Uint8Array([...seed, 0, 0, 0, counter]);
    bytes.push(...new Uint8Array(await crypto.subtle.digest(hash, input)));
  }
  return new Uint8Array(bytes.slice(0, size));
}

function mask(bytes: Bytes, by: Bytes): Bytes {
  return bytes.map((byte, index) => byte ^ (by[index] ?? 0));
}

/** RSAEP (RFC 8017 section 5.1.1). */
function encryptRaw({ n }: PublicKey, encoded: Bytes): Bytes {
  const modulus = decodeBase64Url(n) ?? new Uint8Array();
  const base = toInteger(encoded);
  const divisor = toInteger(modulus);
  let power = base;
  for (let round = 0; round < 16; round++) power = (power * power) % divisor;
  const hex = ((power * base) % divisor).toString(16).padStart(modulus.length * 2, "0"); // base to the 65,537th
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function toInteger(bytes: Bytes): bigint {
  return bytes.reduce((sum, byte) => sum * 256n + BigInt(byte), 0n);
}
