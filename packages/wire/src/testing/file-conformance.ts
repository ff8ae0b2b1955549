import filesJson from "../../vectors/files.json" with { type: "json" };
import { decodeBase64 } from "../base64.ts";
import { type Bytes, concatenate } from "../bytes.ts";
import type { FileKey } from "../file-pieces.ts";
import type { openFile } from "../open-file.ts";
import { type FileSource, type FileVector, type FileVectors, sealSource } from "./file-vectors.ts";

// Our own generator wrote this file from this type; JSON only widens the texts.
export const files = filesJson as unknown as FileVectors;

export function findSource(name: string): FileSource {
  const source = files.sources[name];
  if (source === undefined) throw new Error(`There is no file called ${name}`);
  return source;
}

export function keyOf({ formId, submissionId, fileId, key, size }: FileSource): FileKey {
  const bytes = decodeBase64(key);
  if (bytes === undefined) throw new Error("Not base64");
  return { formId, submissionId, fileId, key: bytes, size };
}

/** The last one: a file of many slices is sealed once. */
let kept: { readonly name: string; readonly sealed: Promise<Bytes> } | undefined;

function sealOnce(name: string): Promise<Bytes> {
  if (kept?.name !== name) kept = { name, sealed: sealSource(findSource(name), keyOf(findSource(name)).key) };
  return kept.sealed;
}

/** The bytes that an opener gets. */
export async function bytesOf({ bytes, flipped = [] }: FileVector): Promise<Bytes> {
  const slices: Bytes[] = [];
  for (const { source, from, to } of bytes) {
    slices.push((await sealOnce(source)).slice(from, to));
  }
  const joined = concatenate(...slices);
  for (const bit of flipped) joined[bit >> 3] = (joined[bit >> 3] ?? 0) ^ (0x80 >> (bit & 7));
  return joined;
}

/** The file that an opener makes of a vector; `undefined` where its stream fails. */
export async function openFileVector(opener: typeof openFile, vector: FileVector): Promise<Bytes | undefined> {
  const { source, ...claims } = vector.claims;
  try {
    const opening = opener({ ...keyOf(findSource(source)), ...claims });
    return await passThrough(opening, await bytesOf(vector));
  } catch {
    return undefined;
  }
}

/** Everything that comes out of a stream for these bytes, given in portions of odd sizes. */
export function passThrough(stream: TransformStream<Uint8Array, Bytes>, bytes: Uint8Array): Promise<Bytes> {
  let start = 0;
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (start >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(start, start + 50_021));
      start += 50_021;
    },
  });
  return collect(source.pipeThrough(stream));
}

/** All bytes of a stream; rejects with its own error, which a `Response` would hide in Chromium. */
async function collect(stream: ReadableStream<Bytes>): Promise<Bytes> {
  const reader = stream.getReader();
  const portions: Bytes[] = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return concatenate(...portions);
    portions.push(value);
  }
}
