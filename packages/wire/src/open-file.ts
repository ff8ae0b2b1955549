import { decodeBase64 } from "./base64.ts";
import type { Bytes } from "./bytes.ts";
import type { FileField } from "./file-field.ts";
import {
  createGatherer,
  createPieces,
  type FileKey,
  fileFormat,
  isFileSize,
  notOpened,
  sealedPieceBytes,
} from "./file-pieces.ts";
import { type FormId, isId } from "./ids.ts";
import type { FieldValue } from "./payload.ts";

/**
 * Opens the bytes of a sealed file that pass through it, in constant memory. What comes out is authentic and in its place, but
 * **the file is whole only when the stream has ended**: it fails when anything was changed, cut off, added or moved, with one
 * Error that does not say what.
 */
export function openFile(file: FileKey): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const pieces = createPieces(file);
  const gather = createGatherer(sealedPieceBytes);
  let held: Bytes | undefined;
  let left = file.size;

  async function put(
    piece: Bytes,
    isLast: boolean,
    controller: TransformStreamDefaultController<Bytes>,
  ): Promise<void> {
    const plaintext = await pieces.open(piece, isLast);
    const ours = plaintext.subarray(0, Math.min(left, plaintext.length));
    left -= ours.length;
    if (ours.length > 0) controller.enqueue(ours);
  }

  return new TransformStream({
    async transform(bytes, controller) {
      for (const piece of gather(bytes)) {
        if (held !== undefined) await put(held, false, controller);
        held = piece;
      }
    },
    async flush(controller) {
      for (const piece of gather.rest()) {
        if (held !== undefined) await put(held, false, controller);
        held = piece;
      }
      if (held === undefined) throw notOpened();
      await put(held, true, controller);
      if (left > 0) throw notOpened();
    },
  });
}

/** The file that a field's value refers to, with everything that `openFile` takes; `undefined` for any other value. */
export function parseFileField(
  value: FieldValue,
  formId: FormId,
): { readonly file: FileField; readonly fileKey: FileKey } | undefined {
  const members = membersOf(value);
  if (members === undefined || Object.keys(members).length !== 1) return undefined;
  const { id, name, type, size, key, format } = membersOf(members.$file) ?? {};
  if (!isId("file", id) || format !== fileFormat || !isFileSize(size)) return undefined;
  if (typeof name !== "string" || typeof type !== "string" || typeof key !== "string") return undefined;
  const bytes = decodeBase64(key);
  if (bytes?.length !== 32) return undefined;
  return { file: { id, name, type, size, key, format }, fileKey: { formId, fileId: id, key: bytes, size } };
}

function membersOf(value: FieldValue | undefined): { readonly [name: string]: FieldValue } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as { readonly [name: string]: FieldValue }; // neither a list nor null
}
