import { encodeBase64, encodeBase64Url } from "../base64.ts";
import type { Bytes } from "../bytes.ts";
import { sealedFileSize } from "../file.ts";
import type { FileKey } from "../file-pieces.ts";
import type { FileId } from "../ids.ts";
import { paddedSize } from "../padding.ts";
import { binding, derive, otherForm } from "./opening-vectors.ts";

/** A file of vectors/files.json: byte i is i mod 251, and `key` SHA-256 of its name. */
export interface FileSource {
  readonly formId: FileKey["formId"];
  readonly fileId: FileId;
  readonly key: string;
  readonly size: number;
  /** Pieces that a careless or hostile sealer made: how long their plaintext is, and what their nonce says. */
  readonly pieces?: readonly { readonly length: number; readonly counter: number; readonly mark: number }[];
  /** Instead of the lines of section 13. */
  readonly additionalData?: string;
  readonly sealedSize: number;
  /** SHA-256, base64url. */
  readonly sealedSha256: string;
}

/** Input of an opener: slices of sealed files, one after the other, and what they are claimed to be. */
export interface FileVector {
  readonly name: string;
  readonly claims: { readonly source: string } & Partial<Pick<FileSource, "formId" | "fileId" | "size">>;
  readonly bytes: readonly { readonly source: string; readonly from: number; readonly to: number }[];
  /** Bits to turn over, counted from the first byte's highest. */
  readonly flipped?: readonly number[];
  readonly outcome: "opened" | "could_not_be_opened";
}

export interface FileVectors {
  readonly sources: Readonly<Record<string, FileSource>>;
  readonly vectors: readonly FileVector[];
}

const fileId: FileId = "fil_01hk153x00e5rbcwg8rxcnh8w5";
const otherFile: FileId = "fil_01hk153x00e5rbcwg8rxcnh8w8";
const piece = 65_536;
const sealedPiece = piece + 16;

/** The bytes of a file before it is sealed. */
export function contentOf({ size }: Pick<FileSource, "size">): Bytes {
  const bytes = new Uint8Array(size);
  for (let index = 0; index < size; index++) bytes[index] = index % 251;
  return bytes;
}

export async function fileVectors(): Promise<FileVectors> {
  const sizes = [0, 1, 1024, 65_535, 65_536, 65_537, 131_072, 150_000, 16_900_000];
  const sources: Record<string, FileSource> = {};
  for (const size of sizes) sources[`${size} bytes`] = await createSource(`${size} bytes`, { size });
  const two = { size: 131_072 };
  const marked = (...marks: readonly number[]) => marks.map((mark, counter) => ({ length: piece, counter, mark }));
  const made: Record<string, Partial<FileSource> & { size: number; keyOf?: string }> = {
    "another file under the same key": { ...two, fileId: otherFile, keyOf: "131072 bytes" },
    "the same file of another form": { ...two, formId: otherForm, keyOf: "131072 bytes" },
    "another file": { ...two, fileId: otherFile },
    "without padding": { size: 1000, pieces: [{ length: 1000, counter: 0, mark: 1 }] },
    "no piece is marked as the last": { ...two, pieces: marked(0, 0) },
    "each piece is marked as the last": { ...two, pieces: marked(1, 1) },
    "the counter begins with one": {
      ...two,
      pieces: marked(0, 1).map((one) => ({ ...one, counter: one.counter + 1 })),
    },
    "the counter stands": { ...two, pieces: marked(0, 1).map((one) => ({ ...one, counter: 0 })) },
    "pieces of half the size": {
      size: piece,
      pieces: [0, 1].map((counter) => ({ length: piece / 2, counter, mark: counter })),
    },
    "the last piece is empty": { size: piece, pieces: [...marked(0), { length: 0, counter: 1, mark: 1 }] },
    "not bound": { ...two, additionalData: "" },
    "bound to the form alone": { ...two, additionalData: `sealpost/spf1\n${binding.formId}` },
  };
  for (const [name, { keyOf, ...deviation }] of Object.entries(made))
    sources[name] = await createSource(name, deviation, keyOf);
  return { sources, vectors: [...openedVectors(sizes), ...hostileVectors(sources, Object.keys(made))] };
}

async function createSource(
  name: string,
  { size, ...deviation }: Partial<FileSource> & { readonly size: number },
  keyOf = name,
): Promise<FileSource> {
  const key = await derive("file key", keyOf, 32);
  const source = { formId: binding.formId, fileId, key: encodeBase64(key), size, ...deviation };
  const sealed = await sealSource(source, key);
  const sha256 = encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", sealed)));
  return { ...source, sealedSize: sealed.length, sealedSha256: sha256 };
}

/** Seals by the letter of SPECIFICATION.md section 13, without the code of `sealFile`, or as the source says. */
export async function sealSource(
  source: Omit<FileSource, "sealedSize" | "sealedSha256">,
  rawKey: Bytes,
): Promise<Bytes> {
  const { formId, fileId: id, size, pieces = piecesOf(paddedSize(size)) } = source;
  const { additionalData = `sealpost/spf1\n${formId}\n${id}` } = source;
  const key = await crypto.subtle.importKey("raw", rawKey, "AES-GCM", false, ["encrypt"]);
  const length = pieces.reduce((sum, one) => sum + one.length, 0);
  const plaintext = new Uint8Array(Math.max(length, size));
  plaintext.set(contentOf({ size }));
  const sealed = new Uint8Array(length + 16 * pieces.length);
  let [from, to] = [0, 0];
  for (const { length: ofPiece, counter, mark } of pieces) {
    const iv = Uint8Array.from({ length: 12 }, (_, index) =>
      index === 11 ? mark : (counter / 256 ** (10 - index)) & 255,
    );
    const bound = { name: "AES-GCM", iv, additionalData: new TextEncoder().encode(additionalData) };
    sealed.set(new Uint8Array(await crypto.subtle.encrypt(bound, key, plaintext.subarray(from, from + ofPiece))), to);
    from += ofPiece;
    to += ofPiece + 16;
  }
  return sealed;
}

function piecesOf(padded: number) {
  const count = Math.ceil(padded / piece);
  return Array.from({ length: count }, (_, counter) => ({
    length: Math.min(piece, padded - counter * piece),
    counter,
    mark: counter === count - 1 ? 1 : 0,
  }));
}

function whole(source: string, size: number): FileVector["bytes"] {
  return [{ source, from: 0, to: size }];
}

function openedVectors(sizes: readonly number[]): readonly FileVector[] {
  return [
    ...sizes.map((size) => ({
      name: `file: ${size} bytes`,
      claims: { source: `${size} bytes` },
      bytes: whole(`${size} bytes`, sealedFileSize(size)),
      outcome: "opened" as const,
    })),
    {
      name: "file: of another sealer, without padding",
      claims: { source: "without padding" },
      bytes: whole("without padding", 1016),
      outcome: "opened",
    },
  ];
}

/** Files as a server, or a sealer that knows the key, may change them. */
function hostileVectors(sources: Readonly<Record<string, FileSource>>, made: readonly string[]): readonly FileVector[] {
  const source = "131072 bytes";
  const size = 2 * sealedPiece;
  const slice = (from: number, to: number, of = source) => ({ source: of, from, to });
  const [first, last] = [slice(0, sealedPiece), slice(sealedPiece, size)];
  const changed: Record<string, Partial<FileVector>> = {
    "one byte less": { bytes: [slice(0, size - 1)] },
    "the last piece is missing": { bytes: [first] },
    "the last piece is cut to its tag": { bytes: [first, slice(size - 16, size)] },
    "the first piece is missing": { bytes: [last] },
    "the first piece twice": { bytes: [first, first, last] },
    "the last piece twice": { bytes: [first, last, last] },
    "pieces in another order": { bytes: [last, first] },
    "one byte more": { bytes: [first, last, slice(0, 1)] },
    "a piece more": { bytes: [first, last, slice(0, sealedPiece, "another file")] },
    "nothing at all": { bytes: [] },
    "only a tag": { bytes: [slice(0, 16)] },
    "a piece of another file in its place": { bytes: [slice(0, sealedPiece, "another file"), last] },
    "a piece of another file under the same key": {
      bytes: [slice(0, sealedPiece, "another file under the same key"), last],
    },
    "first bit flipped": { flipped: [0] },
    "last bit of the first piece flipped": { flipped: [sealedPiece * 8 - 1] },
    "last bit flipped": { flipped: [size * 8 - 1] },
    "claims another file": { claims: { source, fileId: otherFile } },
    "claims another form": { claims: { source, formId: otherForm } },
    "claims the key of another file": { claims: { source: "another file", fileId } },
    "claims to be longer": { claims: { source, size: 131_073 } },
  };
  const hostile = made.filter((name) => !/^(another|the same|without)/.test(name));
  return [
    ...Object.entries(changed).map(([name, change]) => ({
      name: `file: ${name}`,
      claims: { source },
      bytes: whole(source, size),
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
