import { entryNumberMax } from "./list-entry.ts";
import { hashOf } from "./text.ts";

/** How an entry begins, up to its change: there is one way to write it. SPECIFICATION.md sections 14 and 23. */
const beginning = /^\{"format":"sealpost-list\/1","organizationId":"\w*","number":([1-9]\d{0,9}),/;
const beginningOfPart =
  /^\{"format":"sealpost-list\/1","organizationId":"\w*","number":\d+,"previous":"[\w-]*","writtenAt":"[\w:-]*","signedBy":"\w*","change":"begin",/;

/** The number that the first entry gives itself, unchecked; 1 where it gives none. */
export function findFirstNumber(bytes: Uint8Array): number {
  const end = bytes.indexOf(10);
  const number = findNumber(new TextDecoder().decode(bytes.subarray(0, end < 0 ? 0 : end)));
  return number ?? 1;
}

/** The number that a content line gives its entry, unchecked. */
function findNumber(line: string): number | undefined {
  const number = Number(beginning.exec(line)?.[1]);
  return number <= entryNumberMax ? number : undefined;
}

/** Takes parts apart that stand one after the other: each begins with its entry. Nothing is checked, and no byte is left out. */
export function splitParts(bytes: Uint8Array): {
  readonly first: number;
  readonly parts: readonly Uint8Array[];
} {
  const first = findFirstNumber(bytes);
  const starts = [0];
  for (let start = nextEntry(bytes, 0); start < bytes.length; start = nextEntry(bytes, start))
    // Entries have members of a thousand bytes and more after their change.
    if (beginningOfPart.test(new TextDecoder().decode(bytes.subarray(start, start + 512)))) starts.push(start);
  return { first, parts: starts.map((start, index) => bytes.subarray(start, starts[index + 1])) };
}

/** Where the entry after that at `start` begins: two lines on. */
function nextEntry(bytes: Uint8Array, start: number): number {
  const line = bytes.indexOf(10, start);
  const end = line < 0 ? -1 : bytes.indexOf(10, line + 1);
  return end < 0 ? bytes.length : end + 1;
}

/** The entries of a text of whole lines, two of these for each. */
export function splitEntries(text: string): readonly string[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.flatMap((line, index) => (index % 2 === 1 ? [`${lines[index - 1]}\n${line}\n`] : []));
}

/** The same bytes in one piece. */
export function joinParts(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}

/** The entries that a part has, and the head after them, by its lines alone, and nothing is checked: for people to compare. `undefined`: it is no list. */
export async function findClaimedPart(bytes: Uint8Array) {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const isList = lines.length >= 3 && lines.length % 2 === 1 && lines.at(-1) === "";
  const line = lines.at(-3) ?? "";
  const number = findNumber(line);
  if (!isList || number === undefined) return undefined;
  return { count: (lines.length - 1) / 2, head: { number, hash: await hashOf(line) } };
}
