import type { Bytes } from "./age-header.ts";
import { entriesOf, type ListHead, type VerifiedList } from "./list.ts";
import { countEntries, findClaimedHead, splitEntries } from "./list-bytes.ts";
import { findLines, type NameText } from "./names.ts";

// The end of a list that a device has verified, which it keeps so that a service which has lost the end of it, after a restored backup, gets that back. Each entry
// proves itself: from whom it comes makes no difference. SPECIFICATION.md section 14.

/** Version of the form in which verified entries are kept, and of the rules by which they were verified: what another version has kept is verified again. */
export const keptVersion = 1;

/** The last entries of a list, and the names of those who are in it. */
export interface KeptEntries {
  readonly version: number;
  /** The number of the first one. */
  readonly first: number;
  /** Two lines for each. */
  readonly text: string;
  readonly names: readonly NameText[];
}

/** Entries that a service has lost. */
export interface LostEntries {
  /** One after the other, each of two lines. */
  readonly entries: readonly string[];
  readonly names: readonly NameText[];
  /** The end of the service's list; `undefined`: it has none. */
  readonly after: ListHead | undefined;
}

/** Some hundred entries with keys: what is added between two backups, many times over. */
const keptBytesMax = 1_048_576;

/** The last entries of a verified list, as many as there is room for. */
export function toKeptEntries(
  bytes: Uint8Array,
  list: VerifiedList,
  names: Uint8Array,
  bytesMax: number = keptBytesMax,
): KeptEntries {
  const entries = splitEntries(new TextDecoder().decode(bytes));
  let [begin, room] = [entries.length, bytesMax];
  // Texts are of ASCII, but for extensions.
  while (begin > 0 && room >= (entries[begin - 1] ?? "").length) {
    begin -= 1;
    room -= (entries[begin] ?? "").length;
  }
  return {
    version: keptVersion,
    first: begin + 1,
    text: entries.slice(begin).join(""),
    names: findPresent(list, names),
  };
}

/** The lines of present members and of the organization: a name that nobody has any more need not stay. */
function findPresent(list: VerifiedList, names: Uint8Array): readonly NameText[] {
  const named = entriesOf(list).findLast(({ change }) => change === "name");
  const commitments = new Set([...list.members.values()].map(({ commitment }) => String(commitment)));
  if (named?.change === "name") commitments.add(String(named.name));
  const lines = findLines(names, list.organizationId).map(({ commitment, salt, name }) => ({
    ...{ commitment: String(commitment), salt, name },
  }));
  return lines.filter(({ commitment }) => commitments.has(commitment));
}

/**
 * The kept entries that continue the list which a service shows, `undefined` where none do: it is another list, or ends where nothing was kept. Nothing that
 * the service shows is verified for it: the hash in the first of them fixes all before.
 */
export async function findLostEntries(kept: KeptEntries, served: Bytes | undefined): Promise<LostEntries | undefined> {
  const after = served && (await findClaimedHead(served));
  if (served !== undefined && (after === undefined || after.number !== countEntries(served))) return undefined;
  const begin = (after?.number ?? 0) + 1 - kept.first;
  const entries = begin < 0 ? [] : splitEntries(kept.text).slice(begin);
  const [next] = entries;
  if (next === undefined || findPrevious(next) !== (after?.hash ?? null)) return undefined;
  return { entries, names: kept.names, after };
}

function findPrevious(entry: string): unknown {
  const [line = ""] = entry.split("\n");
  return JSON.parse(line).previous; // it was verified before it was kept
}
