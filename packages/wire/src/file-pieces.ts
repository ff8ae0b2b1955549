import type { Bytes } from "./bytes.ts";
import type { FileId, FormId } from "./ids.ts";

/** Everything that sealing or opening a file takes. SPECIFICATION.md section 13. */
export interface FileKey {
  readonly formId: FormId;
  readonly fileId: FileId;
  /** 32 bytes, of this file alone. */
  readonly key: Uint8Array<ArrayBuffer>;
  /** The size of the file itself, in bytes. */
  readonly size: number;
}

export const fileFormat = "spf1";
/** 1 TiB: far more than anybody uploads by a form, and far less than what the counter holds. */
export const fileBytesMax = 2 ** 40;
export const pieceBytes = 65_536;
export const tagBytes = 16;
export const sealedPieceBytes = pieceBytes + tagBytes;

export function isFileSize(size: unknown): size is number {
  return typeof size === "number" && Number.isInteger(size) && size >= 0 && size <= fileBytesMax;
}

/** Seals and opens one piece after the other: age's STREAM with AES-256-GCM. */
export function createPieces({ formId, fileId, key }: FileKey) {
  let imported: Promise<CryptoKey> | undefined;
  const importKey = () => (imported ??= crypto.subtle.importKey("raw", key, "AES-GCM", false, ["encrypt", "decrypt"]));
  const additionalData = new TextEncoder().encode(`sealpost/${fileFormat}\n${formId}\n${fileId}`);
  let index = 0;

  /** The counter in 11 bytes, big-endian, and the mark of the last piece. */
  function nextIv(isLast: boolean): Bytes {
    const iv = new Uint8Array(12);
    new DataView(iv.buffer).setBigUint64(3, BigInt(index));
    iv[11] = isLast ? 1 : 0;
    index += 1;
    return iv;
  }

  return {
    async seal(piece: Bytes, isLast: boolean): Promise<Bytes> {
      const parameters = { name: "AES-GCM", iv: nextIv(isLast), additionalData };
      return new Uint8Array(await crypto.subtle.encrypt(parameters, await importKey(), piece));
    },
    async open(piece: Bytes, isLast: boolean): Promise<Bytes> {
      const parameters = { name: "AES-GCM", iv: nextIv(isLast), additionalData };
      if (piece.length <= tagBytes) throw notOpened();
      try {
        return new Uint8Array(await crypto.subtle.decrypt(parameters, await importKey(), piece));
      } catch {
        throw notOpened();
      }
    },
  };
}

/** Cuts what arrives in any portions into pieces of `length` bytes; `rest` is what is left at the end. */
export function createGatherer(length: number) {
  let buffer = new Uint8Array(length);
  let filled = 0;

  function* gather(bytes: Uint8Array): Generator<Bytes> {
    for (let start = 0; start < bytes.length; ) {
      const portion = bytes.subarray(start, start + length - filled);
      buffer.set(portion, filled);
      filled += portion.length;
      start += portion.length;
      if (filled < length) return;
      yield buffer;
      buffer = new Uint8Array(length);
      filled = 0;
    }
  }

  return Object.assign(gather, {
    *rest(): Generator<Bytes> {
      if (filled > 0) yield buffer.slice(0, filled);
      filled = 0;
    },
  });
}

export function notOpened(): Error {
  return new Error("This file could not be opened: it was changed or is not complete");
}
