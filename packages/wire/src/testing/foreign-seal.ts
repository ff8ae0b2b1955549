import { decodeBase64Url, encodeBase64 } from "../base64.ts";
import { type PublicKey, rsaAlgorithm } from "../keys.ts";
import { additionalData, type Binding, sealedVersion } from "../payload.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/** How a foreign, careless or hostile sealer may differ from `seal`. */
export interface Deviation {
  readonly plaintext: Bytes;
  readonly contentKey: Bytes;
  readonly iv: Bytes;
  readonly additionalData?: Bytes;
  readonly tagBits?: number;
  readonly hash?: "SHA-1" | "SHA-256" | "SHA-512";
  readonly label?: Bytes;
  readonly padding?: "pkcs1";
}

/** Seals by the letter of SPECIFICATION.md, without the code of `seal`, and deviates where it is told to. */
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
  const key =
    deviation.padding === "pkcs1" ? encryptPkcs1(publicKey, contentKey) : await encryptOaep(publicKey, deviation);
  return {
    encrypted: true as const,
    version: sealedVersion,
    data: encodeBase64(new Uint8Array(data)),
    key: encodeBase64(key),
    iv: encodeBase64(iv),
  };
}

async function encryptOaep(
  { kty, n, e }: PublicKey,
  { contentKey, hash = "SHA-256", label = new Uint8Array() }: Deviation,
): Promise<Bytes> {
  const rsa = await crypto.subtle.importKey("jwk", { kty, n, e }, { ...rsaAlgorithm, hash }, false, ["encrypt"]);
  return new Uint8Array(await crypto.subtle.encrypt({ name: "RSA-OAEP", label }, rsa, contentKey));
}

/** RSAES-PKCS1-v1_5 (RFC 8017 section 7.2.1) with fixed filling, which no opener may accept. WebCrypto does not have it. */
function encryptPkcs1({ n }: PublicKey, message: Bytes): Bytes {
  const modulus = decodeBase64Url(n) ?? new Uint8Array();
  const encoded = new Uint8Array(modulus.length).fill(0xa5);
  encoded.set([0, 2]);
  encoded[modulus.length - message.length - 1] = 0;
  encoded.set(message, modulus.length - message.length);
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
