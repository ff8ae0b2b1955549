import { type Bytes, ownParameters } from "./bytes.ts";

/** AES-256-GCM: the ciphertext followed by its 16-byte tag. A key and an iv for one message only. */
export async function encryptGcm(
  key: Bytes | ArrayBuffer,
  iv: Bytes | ArrayBuffer,
  plaintext: Bytes,
  additionalData = new Uint8Array(),
): Promise<Bytes> {
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt"]);
  return new Uint8Array(
    await crypto.subtle.encrypt(ownParameters({ name: "AES-GCM", iv, additionalData }), aes, plaintext),
  );
}

/** The plaintext of `encryptGcm`. Rejects when anything was changed. */
export async function decryptGcm(
  key: Bytes | ArrayBuffer,
  iv: Bytes | ArrayBuffer,
  sealed: Bytes,
  additionalData = new Uint8Array(),
): Promise<Bytes> {
  const aes = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  return new Uint8Array(
    await crypto.subtle.decrypt(ownParameters({ name: "AES-GCM", iv, additionalData }), aes, sealed),
  );
}
