import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";

/** Keeps small secrets (webhook secrets) encrypted at rest with the server's key. */
export interface SecretBox {
  /** AES-256-GCM with a fresh iv; `context` (the row's id, say) is authenticated, so a value copied to another row does not open. */
  seal(text: string, context: string): string;
  /** Throws when the value was changed, moved to another context, or sealed with another server key. */
  open(sealed: string, context: string): string;
  /** A keyed digest that tells whether two processes hold the same server key, and nothing about it. */
  readonly keyCheck: string;
  /** An independent key for another purpose (HKDF-SHA-256, RFC 5869), base64 of 32 bytes. */
  deriveKey(purpose: string): string;
}

export function createSecretBox(secret: Uint8Array): SecretBox {
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", `sealpost/${purpose}`, 32));
  const key = derive("secret-box");
  return {
    seal(text, context) {
      const iv = randomBytes(12);
      const cipher = createCipheriv("aes-256-gcm", key, iv).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([iv, cipher.update(text, "utf8"), cipher.final(), cipher.getAuthTag()]);
      return sealed.toString("base64");
    },
    open(sealed, context) {
      const bytes = Buffer.from(sealed, "base64");
      const decipher = createDecipheriv("aes-256-gcm", key, bytes.subarray(0, 12)).setAAD(Buffer.from(context));
      decipher.setAuthTag(bytes.subarray(-16));
      return Buffer.concat([decipher.update(bytes.subarray(12, -16)), decipher.final()]).toString("utf8");
    },
    keyCheck: createHmac("sha256", derive("key-check")).update("sealpost").digest("base64"),
    deriveKey: (purpose) => derive(purpose).toString("base64"),
  };
}
