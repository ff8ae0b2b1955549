import { encodeBase64, encodeBase64Url } from "../base64.ts";
import { type Bytes, concatenate } from "../bytes.ts";
import { type FileKey, sealedFileSize } from "../file-pieces.ts";
import type { FileId, SubmissionId } from "../ids.ts";
import { paddedSize } from "../padding.ts";
import { type FieldVector, fieldVectors } from "./file-field-vectors.ts";
import { deriveByHand } from "./foreign-hybrid-seal.ts";
import { binding, derive, otherForm, otherSubmission } from "./opening-vectors.ts";
import { sealTwoFiles } from "./two-contents.ts";

/** A file of vectors/files.json: byte i is i mod 251, and `key` SHA-256 of its name. */
export interface FileSource {
  readonly formId: FileKey["formId"];
  readonly submissionId: SubmissionId;
  readonly fileId: FileId;
  readonly key: string;
  readonly size: number;
  /** Pieces that a careless or hostile sealer made: how long their plaintext is, and what their nonce says. */
  readonly pieces?: readonly { readonly length: number; readonly counter: number; readonly mark: number }[];
  /** Instead of the lines of section 13. */
  readonly binding?: string;
  /** Base64 of the whole sealed file, where no pieces of this size are in it. */
  readonly sealed?: string;
  readonly sealedSize: number;
  /** SHA-256, base64url. */
  readonly sealedSha256: string;
}

/** Input of an opener: slices of sealed files, one after the other, and what they are claimed to be. */
export interface FileVector {
  readonly name: string;
  readonly claims: { readonly source: string } & Partial<
    Pick<FileSource, "formId" | "submissionId" | "fileId" | "size">
  >;
  readonly bytes: readonly { readonly source: string; readonly from: number; readonly to: number }[];
  /** Bits to turn over, counted from the first byte's highest. */
  readonly flipped?: readonly number[];
  readonly outcome: "opened" | "could_not_be_opened";
}

export interface FileVectors {
  readonly sources: Readonly<Record<string, FileSource>>;
  readonly vectors: readonly FileVector[];
  readonly fields: readonly FieldVector[];
}

const fileId: FileId = "fil_01hk153x00e5rbcwg8rxcnh8w5";
const otherFile: FileId = "fil_01hk153x00e5rbcwg8rxcnh8w8";
const commitment = 32;
const piece = 65_536;
const sealedPiece = piece + 16;
/** Four pieces, of which two are whole ones in the middle. */
const size = 196_608;
const source = `${size} bytes`;
const sealedSize = sealedFileSize(size);

/** The bytes of a file before it is sealed. */
export function contentOf({ size: length }: Pick<FileSource, "size">): Bytes {
  const bytes = new Uint8Array(length);
  for (let index = 0; index < length; index++) bytes[index] = index % 251;
  return bytes;
}

export async function fileVectors(): Promise<FileVectors> {
  const sizes = [
    ...[0, 1, 1024, 1025, 63_488, 63_489, 65_504, 65_505, 65_535, 65_536, 65_537, 131_040, 131_072, 150_000],
    ...[size, 16_900_000],
  ];
  const sources: Record<string, FileSource> = {};
  for (const length of sizes) sources[`${length} bytes`] = await createSource(`${length} bytes`, { size: length });
  const usual = piecesOf(size);
  const lines = (...changed: readonly unknown[]) => ["sealpost/spf1", ...changed].join("\n");
  const { formId, submissionId } = binding;
  const made: Record<string, Partial<FileSource> & { size: number; keyOf?: string }> = {
    "another file under the same key": { size, fileId: otherFile, keyOf: source },
    "the same file of another form": { size, formId: otherForm, keyOf: source },
    "the same file of another submission": { size, submissionId: otherSubmission, keyOf: source },
    "the same file with a byte less": { size: size - 1, keyOf: source },
    "another file": { size, fileId: otherFile },
    "without padding": { size: 1000, pieces: [{ length: 1000, counter: 0, mark: 1 }] },
    "no piece is marked as the last": { size, pieces: usual.map((one) => ({ ...one, mark: 0 })) },
    "each piece is marked as the last": { size, pieces: usual.map((one) => ({ ...one, mark: 1 })) },
    "a piece is marked as the last too early": {
      size,
      pieces: usual.map((one) => ({ ...one, mark: one.counter < 2 ? 0 : 1 })),
    },
    "the counter begins with one": { size, pieces: usual.map((one) => ({ ...one, counter: one.counter + 1 })) },
    "the counter stands": { size, pieces: usual.map((one) => ({ ...one, counter: 0 })) },
    "the first piece is as long as the others": {
      size,
      pieces: [0, 1, 2].map((counter) => ({ length: piece, counter, mark: counter === 2 ? 1 : 0 })),
    },
    "the last piece is empty": {
      size,
      pieces: [...usual.map((one) => ({ ...one, mark: 0 })), { length: 0, counter: usual.length, mark: 1 }],
    },
    "not bound": { size, binding: "" },
    "bound to form and file alone, as in the draft before": { size, binding: lines(formId, fileId) },
    "bound to no size": { size, binding: lines(formId, submissionId, fileId) },
    "bound to no submission": { size, binding: lines(formId, fileId, size) },
    "bound to a size with a leading zero": { size, binding: lines(formId, submissionId, fileId, `0${size}`) },
    "bound with a line feed at the end": { size, binding: lines(formId, submissionId, fileId, size, "") },
  };
  for (const [name, { keyOf, ...deviation }] of Object.entries(made))
    sources[name] = await createSource(name, deviation, keyOf);
  Object.assign(sources, await twoContents());
  return {
    sources,
    vectors: [...openedVectors(sizes), ...hostileVectors(sources, Object.keys(made))],
    fields: fieldVectors(),
  };
}

async function createSource(
  name: string,
  { size: length, ...deviation }: Partial<FileSource> & { readonly size: number },
  keyOf = name,
): Promise<FileSource> {
  const key = await derive("file key", keyOf, 32);
  const ids = { formId: binding.formId, submissionId: binding.submissionId, fileId };
  const made = { ...ids, key: encodeBase64(key), size: length, ...deviation };
  const sealed = await sealSource(made, key);
  const sha256 = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", sealed)));
  return { ...made, sealedSize: sealed.length, sealedSha256: sha256 };
}

/** Seals by the letter of SPECIFICATION.md section 13, without the code of `sealFile`, or as the source says. */
export async function sealSource(made: Omit<FileSource, "sealedSize" | "sealedSha256">, rawKey: Bytes): Promise<Bytes> {
  if (made.sealed !== undefined) return Uint8Array.from(atob(made.sealed), (character) => character.charCodeAt(0));
  const { pieces = piecesOf(made.size) } = made;
  const { cipherKey, commitment: first } = await deriveFileKey(made, rawKey);
  const key = await crypto.subtle.importKey("raw", cipherKey, "AES-GCM", false, ["encrypt"]);
  const plaintext = new Uint8Array(
    Math.max(
      pieces.reduce((sum, one) => sum + one.length, 0),
      made.size,
    ),
  );
  plaintext.set(contentOf(made));
  const parts: Bytes[] = [first];
  let from = 0;
  for (const { length, counter, mark } of pieces) {
    const iv = nonceOf(counter, mark);
    const sealed = await crypto.subtle.encrypt({ name: "AES-GCM", iv }, key, plaintext.subarray(from, from + length));
    parts.push(new Uint8Array(sealed));
    from += length;
  }
  return concatenate(...parts);
}

function deriveFileKey(
  { formId, submissionId, fileId: id, size: length, binding: text }: Omit<FileSource, "sealedSize" | "sealedSha256">,
  contentKey: Bytes,
) {
  const lines = text ?? `sealpost/spf1\n${formId}\n${submissionId}\n${id}\n${length}`;
  return deriveByHand({ contentKey, iv: new Uint8Array(), bound: new TextEncoder().encode(lines) });
}

function nonceOf(counter: number, mark: number): Bytes {
  return Uint8Array.from({ length: 12 }, (_, index) => (index === 11 ? mark : (counter / 256 ** (10 - index)) & 255));
}

function piecesOf(length: number) {
  const whole = paddedSize(length) + commitment;
  const count = Math.ceil(whole / piece);
  return Array.from({ length: count }, (_, counter) => ({
    length: Math.min(piece, whole - counter * piece) - (counter === 0 ? commitment : 0),
    counter,
    mark: counter === count - 1 ? 1 : 0,
  }));
}

/** A sealer who chose two file keys: one sealed file, whose piece AES-GCM takes under both. The last 16 bytes of its padding are what it takes. */
async function twoContents(): Promise<Readonly<Record<string, FileSource>>> {
  const names = ["one file for two keys: the first", "one file for two keys: the second"] as const;
  const plain = { formId: binding.formId, submissionId: binding.submissionId, fileId, key: "", size: 1000 };
  const plaintext = new Uint8Array(1024);
  plaintext.set(contentOf(plain));
  const keys = [await derive("file key", names[0], 32), await derive("file key", names[1], 32)] as const;
  const [one, other] = [await deriveFileKey(plain, keys[0]), await deriveFileKey(plain, keys[1])];
  const pair = [one.cipherKey, other.cipherKey] as const;
  const sealed = await sealTwoFiles(pair, nonceOf(0, 1), new Uint8Array(), plaintext);
  const older = new TextEncoder().encode(`sealpost/spf1\n${plain.formId}\n${fileId}`);
  const before = await sealTwoFiles(keys, nonceOf(0, 1), older, plaintext);
  const create = (name: string, key: Bytes, whole: Bytes) =>
    createSource(name, { ...plain, key: encodeBase64(key), sealed: encodeBase64(whole) });
  const made: Record<string, FileSource> = {};
  for (const [index, name] of names.entries()) {
    const key = keys[index] ?? keys[0];
    made[name] = await create(name, key, concatenate(one.commitment, sealed));
    made[`${name}, as in the draft before`] = await create(name, key, before);
  }
  return made;
}

function whole(of: string, length: number): FileVector["bytes"] {
  return [{ source: of, from: 0, to: length }];
}

function openedVectors(sizes: readonly number[]): readonly FileVector[] {
  const names = [...sizes.map((length) => `${length} bytes`), "one file for two keys: the first"];
  return names.map((name) => ({
    name: `file: ${name}`,
    claims: { source: name },
    bytes: whole(name, sealedFileSize(Number.parseInt(name, 10) >= 0 ? Number.parseInt(name, 10) : 1000)),
    outcome: "opened" as const,
  }));
}

/** Files as a server, or a sealer that knows the key, may change them. */
function hostileVectors(sources: Readonly<Record<string, FileSource>>, made: readonly string[]): readonly FileVector[] {
  const slice = (from: number, to: number, of = source) => ({ source: of, from, to });
  const at = (index: number, of = source) =>
    slice(index * sealedPiece, Math.min((index + 1) * sealedPiece, sealedSize), of);
  const [first, second, third, last] = [at(0), at(1), at(2), at(3)];
  const changed: Record<string, Partial<FileVector>> = {
    "one byte less": { bytes: [slice(0, sealedSize - 1)] },
    "the last piece is missing": { bytes: [first, second, third] },
    "the last piece is cut to its tag": { bytes: [first, second, third, slice(sealedSize - 16, sealedSize)] },
    "the first piece is missing": { bytes: [second, third, last] },
    "a piece in the middle is missing": { bytes: [first, second, last] },
    "the first piece twice": { bytes: [first, first, second, third, last] },
    "the last piece twice": { bytes: [first, second, third, last, last] },
    "the last piece twice, instead of one in the middle": { bytes: [first, second, last, last] },
    "a piece twice, instead of the next": { bytes: [first, second, second, last] },
    "pieces in another order": { bytes: [first, third, second, last] },
    "one byte more": { bytes: [slice(0, sealedSize), slice(0, 1)] },
    "a piece more": { bytes: [slice(0, sealedSize), at(1, "another file")] },
    "nothing at all": { bytes: [] },
    "only the commitment": { bytes: [slice(0, commitment)] },
    "only the commitment and a tag": { bytes: [slice(0, commitment + 16)] },
    "without its commitment": { bytes: [slice(commitment, sealedSize)] },
    "the commitment twice": { bytes: [slice(0, commitment), slice(0, sealedSize)] },
    "the beginning of the commitment": { bytes: [slice(0, commitment - 1)] },
    "the commitment at the end": { bytes: [slice(commitment, sealedSize), slice(0, commitment)] },
    "the commitment of another file": { bytes: [slice(0, commitment, "another file"), slice(commitment, sealedSize)] },
    "the commitment of another submission": {
      bytes: [slice(0, commitment, "the same file of another submission"), slice(commitment, sealedSize)],
    },
    "half of the commitment of another file": {
      bytes: [slice(0, 16), slice(16, commitment, "another file"), slice(commitment, sealedSize)],
    },
    "the pieces of another file, with this one's commitment": {
      bytes: [slice(0, commitment), slice(commitment, sealedSize, "another file")],
    },
    "a piece of another file in its place": { bytes: [first, at(1, "another file"), third, last] },
    "a piece of another file under the same key": {
      bytes: [first, at(1, "another file under the same key"), third, last],
    },
    "a piece of another submission": { bytes: [first, at(1, "the same file of another submission"), third, last] },
    "first bit flipped": { flipped: [0] },
    "last bit of the commitment flipped": { flipped: [commitment * 8 - 1] },
    "first bit of the ciphertext flipped": { flipped: [commitment * 8] },
    "last bit of the first piece flipped": { flipped: [sealedPiece * 8 - 1] },
    "last bit flipped": { flipped: [sealedSize * 8 - 1] },
    "claims another file": { claims: { source, fileId: otherFile } },
    "claims another form": { claims: { source, formId: otherForm } },
    "claims another submission": { claims: { source, submissionId: otherSubmission } },
    "claims the key of another file": { claims: { source: "another file", fileId } },
    "claims to be longer": { claims: { source, size: size + 1 } },
    "claims to be shorter, with the same padding": { claims: { source, size: size - 1 } },
    "claims to be empty": { claims: { source, size: 0 } },
  };
  const twoKeys = Object.keys(sources).filter((name) => /^one file/.test(name) && !name.endsWith(": the first"));
  const hostile = [...made.filter((name) => !/^(another|the same)/.test(name)), ...twoKeys];
  return [
    ...Object.entries(changed).map(([name, change]) => ({
      name: `file: ${name}`,
      claims: { source },
      bytes: whole(source, sealedSize),
      outcome: "could_not_be_opened" as const,
      ...change,
    })),
    ...hostile.map((name) => ({
      name: `file: ${name}`,
      claims: { source: name },
      bytes: whole(name, sources[name]?.sealedSize ?? 0),
      outcome: "could_not_be_opened" as const,
    })),
  ];
}
