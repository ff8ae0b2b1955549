import { findAgeFileWay, RefusalError, withoutArmor } from "@sealpost/envelope";
import { decodeKeyFileText, isAgeFile } from "@sealpost/wire";
import { type KeyPool, openPool, type PoolResult } from "./key-pool.ts";
import { readSecretText, type SecretText } from "./secret-text.ts";

/** The kind of bytes that somebody brought, before any secret is tried. */
export type Look =
  | SecretText
  | { readonly found: "passphrase" }
  | { readonly found: "passkey" | "too_much_work" | "damaged" }
  /** The bytes without the armor that they may have had. */
  | { readonly found: "sealed"; readonly file: Uint8Array<ArrayBuffer>; readonly isCopyPossible: boolean };

export type PoolRequest =
  | { readonly act: "look"; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly act: "open"; readonly pool: KeyPool };

/** As age's libraries: above this a passphrase takes minutes to try. */
const workFactorMax = 20;

export function answerPool(request: PoolRequest): Promise<Look | PoolResult> {
  return request.act === "look" ? look(request.bytes) : openPool(request.pool);
}

async function look(bytes: Uint8Array<ArrayBuffer>): Promise<Look> {
  if (!isAgeFile(bytes)) return readSecretText(decodeKeyFileText(bytes));
  let file: Uint8Array<ArrayBuffer>;
  try {
    file = withoutArmor(bytes);
  } catch {
    return { found: "damaged" };
  }
  const way = await findAgeFileWay(file);
  if (way instanceof RefusalError) return { found: "damaged" };
  if (way.way === "identity") return { found: "sealed", file, isCopyPossible: way.isCopyPossible };
  if (way.way === "passkey") return { found: "passkey" };
  return { found: way.workFactor > workFactorMax ? "too_much_work" : "passphrase" };
}
