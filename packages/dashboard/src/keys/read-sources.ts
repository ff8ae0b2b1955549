import { cleanFileName } from "@sealpost/sdk";
import { readPicture } from "../scanner/read-picture.ts";
import { text } from "../texts/text.ts";
import type { Reading } from "./read-key.ts";

/** More than a form has versions. */
const filesMax = 100;

/** More than anything that is read here has. */
const fileBytesMax = 500_000;

export interface KeySource {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The file's name; pasted keys have none. */
  readonly name?: string;
}

export interface UnreadSource {
  readonly name: string;
  readonly refusal: string;
}

export type Source = KeySource | UnreadSource;

export type ReadSource<Found> = (
  bytes: Uint8Array<ArrayBuffer>,
  passphrase: string | undefined,
  /** The file's name; pasted keys have none. */
  name: string | undefined,
) => Promise<Reading<Found>>;

/** The files read so far, while a passphrase is asked for. */
export interface Paused<Found> {
  readonly found: readonly Found[];
  /** The one that the passphrase is asked for, and those after it. */
  readonly rest: readonly Source[];
  readonly isWrong: boolean;
}

interface AllRead<Found> {
  readonly found: readonly Found[];
  readonly refusals: readonly string[];
}

/** Chosen files: the bytes of each, or of a picture the text of its QR code, or why it has none. */
export function toSources(files: readonly File[]): Promise<readonly Source[]> {
  return Promise.all(files.slice(0, filesMax).map(toSource));
}

async function toSource(file: File): Promise<Source> {
  // It is shown before sentences of ours, whose direction it could turn.
  const name = cleanFileName(file.name);
  if (!file.type.startsWith("image/") && file.type !== "application/pdf")
    return { name, bytes: new Uint8Array(await file.slice(0, fileBytesMax).arrayBuffer()) };
  const reading = await readPicture(file);
  return "content" in reading
    ? { name, bytes: new TextEncoder().encode(reading.content) }
    : { name, refusal: text.keys.pictures[reading.refused] };
}

/** Reads one after the other, up to one whose passphrase is not known. The passphrase may open more than one. */
export async function readSources<Found>(
  read: ReadSource<Found>,
  sources: readonly Source[],
  before: readonly Found[],
  passphrase: string | undefined,
): Promise<AllRead<Found> | { readonly paused: Paused<Found> }> {
  const found = [...before];
  const refusals: string[] = [];
  for (const [index, source] of sources.entries()) {
    const { name } = source;
    const reading =
      "refusal" in source
        ? ({ kind: "refused", message: source.refusal } as const)
        : await read(source.bytes, passphrase, name);
    // The passphrase of one file before it is not a wrong one for this.
    if (reading.kind === "passphrase_needed")
      return { paused: { found, rest: sources.slice(index), isWrong: reading.isWrong && index === 0 } };
    if (reading.kind === "found") found.push(reading.found);
    else refusals.push(name === undefined || sources.length === 1 ? reading.message : `${name}: ${reading.message}`);
  }
  return { found, refusals };
}
