import type { Bytes } from "./age-header.ts";
import { entriesMax } from "./list.ts";
import { countEntries, findFirstNumber, joinPages } from "./list-bytes.ts";

/** A service gives a list in pages: entries 1 to 4,096, 4,097 to 8,192, and so on. */
export const pageEntries = 4096;

/**
 * A whole list, its pages one after the other. `fetchPage` gives the newest, or the one with the entry of this number; `undefined` where the server says
 * that there is none. Where one is missing, or is not the one asked for, the result begins after it.
 */
export async function fetchPages(
  fetchPage: (entry?: number) => Promise<Bytes | undefined>,
): Promise<Bytes | undefined> {
  const newest = await fetchPage();
  if (newest === undefined) return undefined;
  const pages = [newest];
  const last = findFirstNumber(newest);
  for (let entry = last - 1; entry > 0 && last <= entriesMax; entry -= pageEntries) {
    const page = await fetchPage(entry);
    if (page === undefined || !isPageUpTo(entry, page)) break;
    pages.push(page);
  }
  return joinPages(pages.reverse());
}

/**
 * The entries from this one on, which a service gives up to 4,096 at a time. `fetchFrom` gives those from the entry of this number on; `undefined` where
 * there is no such entry.
 */
export async function fetchEntriesFrom(
  first: number,
  fetchFrom: (entry: number) => Promise<Bytes | undefined>,
): Promise<Bytes | undefined> {
  const pages: Bytes[] = [];
  for (let entry = first; entry <= entriesMax; entry += pageEntries) {
    const page = await fetchFrom(entry);
    if (page === undefined) break;
    pages.push(page);
    if (countEntries(page) !== pageEntries) break;
  }
  return pages.length === 0 ? undefined : joinPages(pages);
}

/** Whether the page is a whole one whose last entry has this number. */
function isPageUpTo(entry: number, page: Uint8Array): boolean {
  return (
    entry % pageEntries === 0 && findFirstNumber(page) === entry - pageEntries + 1 && countEntries(page) === pageEntries
  );
}
