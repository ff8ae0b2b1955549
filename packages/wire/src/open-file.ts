import { decodeBase64 } from "./base64.ts";
import type { Bytes } from "./bytes.ts";
import type { ExactValue } from "./exact-json.ts";
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
import { isId } from "./ids.ts";

/**
 * Opens the bytes of a sealed file that pass through it, in constant memory. What comes out is authentic and in its place, but
 * **the file is whole only when the stream has ended**: it fails when anything was changed, cut off, added or moved, with one
 * Error that does not say what.
 */
export function openFile(file: FileKey): TransformStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const pieces = createPieces(file);
  const gather = createGatherer(sealedPieceBytes);
  let left = file.size;

  async function put(piece: Bytes, controller: TransformStreamDefaultController<Bytes>): Promise<void> {
    const plaintext = await pieces.open(piece);
    const ours = plaintext.subarray(0, Math.min(left, plaintext.length));
    left -= ours.length;
    if (ours.length > 0) controller.enqueue(ours);
  }

  return new TransformStream({
    async transform(bytes, controller) {
      for (const piece of gather(bytes)) await put(piece, controller);
    },
    async flush(controller) {
      for (const piece of gather.rest()) await put(piece, controller);
      if (!pieces.isComplete()) throw notOpened();
    },
  });
}

/** A file that a newer program sealed, in a format that this one does not know: only its name may be shown. */
export interface NewerFile {
  readonly isNewer: true;
  readonly name: string;
}

/** A file that a field refers to, with everything that `openFile` takes. */
export interface AttachedFile {
  readonly isNewer: false;
  readonly file: FileField;
  readonly fileKey: FileKey;
}

/**
 * The file that a field's value refers to; `undefined` for any other value, which is an ordinary answer. Of exact fields (`exactFieldsOf`)
 * the size is digits alone, as the format wants it; in others 1024.0 is 1024.
 */
export function parseFileField(
  value: ExactValue,
  { formId, submissionId }: Pick<FileKey, "formId" | "submissionId">,
): AttachedFile | NewerFile | undefined {
  const members = membersOf(value);
  if (members === undefined || Object.keys(members).length !== 1) return undefined;
  const { id, name, type, size, key, format } = membersOf(members.$file) ?? {};
  if (typeof format === "string" && format !== fileFormat)
    return { isNewer: true, name: typeof name === "string" ? name : "" };
  if (!isId("file", id) || format !== fileFormat || !isFileSize(size)) return undefined;
  if (typeof name !== "string" || typeof type !== "string" || typeof key !== "string") return undefined;
  const bytes = decodeBase64(key);
  if (bytes?.length !== 32) return undefined;
  return {
    isNewer: false,
    file: { id, name, type, size, key, format },
    fileKey: { formId, submissionId, fileId: id, key: bytes, size },
  };
}

function membersOf(value: ExactValue | undefined): { readonly [name: string]: ExactValue } | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return value as { readonly [name: string]: ExactValue }; // neither a list nor null
}
