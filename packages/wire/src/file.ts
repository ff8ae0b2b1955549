import { type Bytes, drawBytes } from "./bytes.ts";
import { commitmentBytes } from "./committed.ts";
import { createGatherer, createPieces, type FileKey, fileBytesMax, isFileSize, pieceBytes } from "./file-pieces.ts";
import { paddedSize } from "./padding.ts";

/** A fresh key for one file. A file that is sealed again takes another one, because it may have changed. */
export function createFileKey(): Uint8Array<ArrayBuffer> {
  return drawBytes(32);
}

/**
 * Seals the bytes of a file that pass through it, in constant memory. Fails with a TypeError when they are not as many as
 * `size` says: a file on a disk may change while it is read.
 */
export function sealFile(file: FileKey): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  if (!isFileSize(file.size)) throw new TypeError(`A file has 0 to ${fileBytesMax} bytes`);
  const pieces = createPieces(file);
  const gather = createGatherer(pieceBytes);
  let received = 0;

  async function put(bytes: Uint8Array, controller: TransformStreamDefaultController<Bytes>): Promise<void> {
    for (const piece of gather(bytes)) controller.enqueue(await pieces.seal(piece));
  }

  return new TransformStream({
    start: (controller) => put(new Uint8Array(commitmentBytes), controller), // the room
    async transform(bytes, controller) {
      received += bytes.length;
      if (received > file.size) throw new TypeError(changed);
      await put(bytes, controller);
    },
    async flush(controller) {
      if (received !== file.size) throw new TypeError(changed);
      for (let left = paddedSize(file.size) - received; left > 0; left -= pieceBytes)
        await put(new Uint8Array(Math.min(left, pieceBytes)), controller);
      for (const piece of gather.rest()) controller.enqueue(await pieces.seal(piece));
    },
  });
}

const changed = "The file has another size than at first: it was changed while it was read";
