import type { FormId, SealedVersion, SubmissionId } from "@sealpost/wire";
import type { StoredPayload } from "../database/stored-payload.ts";
import type { Submission } from "./submission.ts";
import type { BatchEntry } from "./write-batch.ts";

/** A batch as it goes to another thread: all bytes in one buffer, which changes hands without being copied. */
export interface PackedBatch {
  readonly bytes: ArrayBuffer;
  readonly entries: readonly PackedEntry[];
}

type PackedEntry = readonly [
  formId: string,
  id: string,
  keyVersion: number,
  timestamp: number,
  receivedAt: number,
  settingsSnapshot: string,
  /** The version and the lengths of data, key and iv in bytes, or the fields of a plain submission. */
  payload: readonly [SealedVersion, number, number, number] | Extract<StoredPayload, { fields: unknown }>,
  postedDigest: string | undefined,
];

export function packBatch(entries: readonly BatchEntry[]): PackedBatch {
  let length = 0;
  for (const { submission } of entries) {
    const { payload } = submission;
    if ("data" in payload) length += payload.data.length + payload.key.length + payload.iv.length;
  }
  const bytes = new Uint8Array(length);
  let offset = 0;
  const put = (part: Uint8Array) => {
    bytes.set(part, offset);
    offset += part.length;
    return part.length;
  };
  const packed = entries.map(({ submission, settingsSnapshot }): PackedEntry => {
    const { formId, id, keyVersion, timestamp, receivedAt, payload, postedDigest } = submission;
    const content =
      "data" in payload ? ([payload.version, put(payload.data), put(payload.key), put(payload.iv)] as const) : payload;
    return [formId, id, keyVersion, timestamp, receivedAt, settingsSnapshot, content, postedDigest];
  });
  return { bytes: bytes.buffer, entries: packed };
}

export function unpackBatch({ bytes, entries }: PackedBatch): BatchEntry[] {
  let offset = 0;
  const take = (length: number) => {
    offset += length;
    return new Uint8Array(bytes, offset - length, length);
  };
  return entries.map(([formId, id, keyVersion, timestamp, receivedAt, settingsSnapshot, content, postedDigest]) => {
    const payload: StoredPayload =
      "fields" in content
        ? content
        : { version: content[0], data: take(content[1]), key: take(content[2]), iv: take(content[3]) };
    const submission: Submission = {
      formId: formId as FormId, // packed from one
      id: id as SubmissionId, // packed from one
      keyVersion,
      timestamp,
      receivedAt,
      payload,
      postedDigest,
    };
    return { submission, settingsSnapshot };
  });
}
