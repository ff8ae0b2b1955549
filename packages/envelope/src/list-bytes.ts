import { entryNumberMax } from "./list-entry.ts";
import { hashOf } from "./text.ts";

/** How an entry begins, up to its change: there is one way to write it. SPECIFICATION.md sections 14 and 23. */
const beginning = /^\{"format":"sealpost-list\/1","organizationId":"\w*","number":([1-9]\d{0,9}),/;
/** The number of lines that end, halved: a content line and a signature for each. */
export function countEntries(bytes: Uint8Array): number {
  let lines = 0;
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, end + 1)) lines += 1;
  return lines / 2;
}

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

/** The entries of a text of whole lines, two of these for each. */
export function splitEntries(text: string): readonly string[] {
  const lines = text.split("\n").slice(0, -1);
  return lines.flatMap((line, index) => (index % 2 === 1 ? [`${lines[index - 1]}\n${line}\n`] : []));
}

/** The same bytes in one piece. */
export function joinPages(pages: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(pages.reduce((sum, page) => sum + page.length, 0));
  let at = 0;
  for (const page of pages) {
    joined.set(page, at);
    at += page.length;
  }
  return joined;
}

/** The head of a list by its lines alone, and nothing is checked: for people to compare. `undefined`: it is no list. */
export async function findClaimedHead(bytes: Uint8Array) {
  const lines = new TextDecoder().decode(bytes).split("\n");
  const isList = lines.length >= 3 && lines.length % 2 === 1 && lines.at(-1) === "";
  const line = lines.at(-3) ?? "";
  const number = findNumber(line);
  if (!isList || number === undefined) return undefined;
  return { number, hash: await hashOf(line) };
}
