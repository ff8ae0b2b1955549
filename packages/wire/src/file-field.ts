import { encodeBase64 } from "./base64.ts";
import { type FileKey, fileFormat } from "./file-pieces.ts";
import { type FileId, isId } from "./ids.ts";
import type { FieldValue } from "./payload.ts";

/**
 * A file as the value of a field: what only who opens the submission may know of it. SPECIFICATION.md section 13.
 * `name` and `type` are the visitor's claims.
 */
export interface FileField {
  readonly id: FileId;
  readonly name: string;
  readonly type: string;
  /** In bytes. */
  readonly size: number;
  /** Base64 of 32 bytes. */
  readonly key: string;
  readonly format: typeof fileFormat;
}

/** The value of a field that refers to a sealed file. */
export function toFileField(
  { fileId, key, size }: FileKey,
  { name, type }: { name: string; type: string },
): FieldValue {
  return { $file: { id: fileId, name, type, size, key: encodeBase64(key), format: fileFormat } };
}

/** Whether a value with one member is what `toFileField` makes. */
export function isFileValue(value: object): boolean {
  const { id, format } = Object(Reflect.get(value, "$file")) as Record<string, unknown>; // looked at alone
  return isId("file", id) && format === fileFormat;
}
