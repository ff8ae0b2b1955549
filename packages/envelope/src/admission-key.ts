import { decodeBase64Url, encodeBase64Url } from "@sealpost/wire";
import type { Bytes } from "./age-header.ts";
import { RefusalError } from "./refusal.ts";
import { importSigningKey, signingKeyOf } from "./signature.ts";

export const secretBytes = 16;
const keyLabel = "sealpost-admission-key/1";

/** The key that follows from the secret of a link: its public half is in the terms, and its private half proves the answer. SPECIFICATION.md section 19. */
export interface LinkKey {
  readonly privateKey: CryptoKey;
  /** Base64url of 32 bytes. */
  readonly publicKey: string;
}

export async function deriveLinkKey(secret: Bytes): Promise<LinkKey> {
  const key = await crypto.subtle.importKey("raw", secret, "HKDF", false, ["deriveBits"]);
  const info = new TextEncoder().encode(keyLabel);
  const parameters = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
  const seed = encodeBase64Url(new Uint8Array(await crypto.subtle.deriveBits(parameters, key, 256)));
  return { privateKey: await importSigningKey(seed), publicKey: await signingKeyOf(seed) };
}

/** The bytes of a link's secret; refused as `wrong_link` where they are not as many. */
export function decodeSecret(secret: string): Bytes {
  const bytes = decodeBase64Url(secret);
  if (bytes?.length !== secretBytes) throw new RefusalError("wrong_link");
  return bytes;
}
