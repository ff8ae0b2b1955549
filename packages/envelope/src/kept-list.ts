import type { Bytes } from "./age-header.ts";
import { type KeptEntries, keptVersion } from "./kept-entries.ts";
import type { ListHead } from "./list.ts";
import { splitEntries } from "./list-bytes.ts";
import { hashOf } from "./text.ts";

// A whole list that a device has verified, which it keeps so that it fetches and verifies later entries alone. It is trusted by the head that was seen, which
// fixes every entry of it, and by nothing else. SPECIFICATION.md section 14.

/** As much as the service keeps of a list, but for entries that are all as long as they may be. */
export const keptListBytesMax = 67_108_864;

const format = "sealpost-kept-list";
const firstLine = (organizationId: string) => JSON.stringify({ format, version: keptVersion, organizationId });

/** The text to keep: a line that says what it is, then the list. */
export function formatKeptList(organizationId: string, list: Bytes): string {
  return `${firstLine(organizationId)}\n${new TextDecoder().decode(list)}`;
}

/** The list up to the head that was seen, unchecked; `undefined` where it is not kept as far, or in the form of another version. */
export function readKeptList(organizationId: string, { number }: ListHead, kept: KeptList): Bytes | undefined {
  const entries = findEntries(organizationId, kept);
  return entries === undefined || entries.length < number
    ? undefined
    : new TextEncoder().encode(entries.slice(0, number).join(""));
}

/** Whatever a device has kept, which may be damaged. */
export interface KeptList {
  /** As `formatKeptList` writes it. */
  readonly text: unknown;
  /** The end of the list: it may be all of it. */
  readonly entries: KeptEntries | undefined;
}

function findEntries(organizationId: string, { text, entries }: KeptList): readonly string[] | undefined {
  const begin = `${firstLine(organizationId)}\n`;
  if (typeof text === "string" && text.startsWith(begin)) return splitEntries(text.slice(begin.length));
  const isWhole = entries?.version === keptVersion && entries.first === 1 && typeof entries.text === "string";
  return isWhole ? splitEntries(entries.text) : undefined;
}

/** Whether entries that a service gives from a head's number on begin with the entry of that head. */
export async function continuesHead(served: Bytes, { hash }: ListHead): Promise<boolean> {
  return (await hashOf(served.slice(0, Math.max(served.indexOf(10), 0)))) === hash;
}

/** The entries after the head's own; `undefined` where the service has another in its place. */
export async function findLater(served: Bytes, head: ListHead): Promise<Bytes | undefined> {
  if (!(await continuesHead(served, head))) return undefined;
  return served.slice(served.indexOf(10, served.indexOf(10) + 1) + 1);
}
