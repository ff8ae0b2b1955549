import { type Bytes, concatenate, encodeText } from "./bytes.ts";
import { commitmentBytes, deriveCommitted, isCommitment } from "./committed.ts";
import type { FileId, FormId, SubmissionId } from "./ids.ts";
import { paddedSize } from "./padding.ts";

/** Everything that sealing or opening a file takes. SPECIFICATION.md section 13. */
export interface FileKey {
  readonly formId: FormId;
  readonly submissionId: SubmissionId;
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

/** The size in bytes of a file of `size` bytes once it is sealed: padded, with a commitment, and a tag for each piece. */
export function sealedFileSize(size: number): number {
  return paddedSize(size) + commitmentBytes + countPieces(size) * tagBytes;
}

/** The commitment has its room in the first piece, so that all of the sealed file is cut at the same distances. */
function countPieces(size: number): number {
  return Math.ceil((paddedSize(size) + commitmentBytes) / pieceBytes);
}

/** Seals and opens one piece after the other: age's STREAM with AES-256-GCM, and a commitment before the first. */
export function createPieces(file: FileKey) {
  const count = countPieces(file.size);
  const sealedSize = sealedFileSize(file.size);
  let started: Promise<{ readonly aes: CryptoKey; readonly commitment: Bytes }> | undefined;
  const start = () => (started ??= importFileKey(file));
  let index = 0;

  /** The counter in 11 bytes, big-endian, and the mark of the last piece. */
  function nextParameters() {
    const iv = new Uint8Array(12);
    new DataView(iv.buffer).setBigUint64(3, BigInt(index));
    iv[11] = index === count - 1 ? 1 : 0;
    index += 1;
    return { name: "AES-GCM", iv };
  }

  return {
    /** The sealed piece. The first one begins with room for the commitment. */
    async seal(piece: Bytes): Promise<Bytes> {
      const { aes, commitment } = await start();
      const isFirst = index === 0;
      const plaintext = isFirst ? piece.subarray(commitmentBytes) : piece;
      const sealed = new Uint8Array(await crypto.subtle.encrypt(nextParameters(), aes, plaintext));
      return isFirst ? concatenate(commitment, sealed) : sealed;
    },
    /** The other way round, without the room. Rejects for a piece of another length than it has in a file of this size. */
    async open(piece: Bytes): Promise<Bytes> {
      const { aes, commitment } = await start();
      const isFirst = index === 0;
      if (piece.length !== Math.min(sealedPieceBytes, sealedSize - index * sealedPieceBytes)) throw notOpened();
      if (isFirst && !isCommitment(piece.subarray(0, commitmentBytes), commitment)) throw notOpened();
      const ciphertext = isFirst ? piece.subarray(commitmentBytes) : piece;
      try {
        return new Uint8Array(await crypto.subtle.decrypt(nextParameters(), aes, ciphertext));
      } catch {
        throw notOpened();
      }
    },
    /** Whether all pieces of the file went through. */
    isComplete: () => index === count,
  };
}

async function importFileKey({ formId, submissionId, fileId, key, size }: FileKey) {
  // HKDF takes keys of any length, and no opener takes the field then.
  if (key.length !== 32) throw new TypeError("A file key has 32 bytes");
  const binding = encodeText(`sealpost/${fileFormat}\n${formId}\n${submissionId}\n${fileId}\n${size}`);
  const { cipherKey, commitment } = await deriveCommitted(key, new Uint8Array(), binding);
  const aes = await crypto.subtle.importKey("raw", cipherKey, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { aes, commitment };
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
