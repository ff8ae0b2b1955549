import type { Bytes } from "./age-header.ts";
import { findLostEntries, type LostEntries, toKeptEntries } from "./kept-entries.ts";
import { findLater, formatKeptList, readKeptList } from "./kept-list.ts";
import { entriesMax, type ListHead, type Trust, type VerifiedList, verifyContinuedList, verifyList } from "./list.ts";
import { findFirstNumber, joinPages } from "./list-bytes.ts";
import { isVouchedBy } from "./list-history.ts";
import { formatNames } from "./names.ts";
import { type ListReason, RefusalError } from "./refusal.ts";
import type { SeenHeads, SeenList } from "./seen-heads.ts";

/**
 * What vouches for a list, and came another way than it. `signedHead`: the person has signed it on another device, and nothing else may vouch for the list
 * at the first sight; it is for reading then, unless the signing key, their own, has signed an entry. SPECIFICATION.md section 22.
 */
export type FirstTrust = Trust | { readonly signedHead: ListHead; readonly signingKey: string };

export interface ListSource {
  readonly organizationId: string;
  readonly heads: SeenHeads;
  /** As `fetchPages` returns it; `undefined` if the server says that the organization has no list. */
  fetchList(): Promise<Bytes | undefined>;
  /**
   * The entries from the one of this head on, itself included, as `fetchEntriesFrom` returns them; `unchanged` where the server says that it is the last.
   * Without it, and where the answer does not continue what is kept here, the list is fetched whole.
   */
  fetchFrom?(head: ListHead): Promise<Bytes | "unchanged" | undefined>;
  /** The file of names next to the list; `undefined` as above. `known`: the one of this device, which is the same where the server says so. */
  fetchNames(known?: Bytes): Promise<Bytes | undefined>;
  /**
   * Gives entries back to a service whose list ends before what was seen here: it has lost them. Whether it has taken them. Without it nothing is given back.
   */
  giveBack?(lost: LostEntries): Promise<boolean>;
  /** For the first sight, and for a list that was seen for reading alone: by this it becomes good for everything. */
  readonly trust: FirstTrust;
}

/**
 * `isForReading`: nothing vouches for it but a signed head, which may be an older one: sign nothing by it, and seal nothing for anybody in it. `hidden_list`:
 * there was a list, or a page of it. `bytes` and `names`: as they were received. `givenBack`: so many entries at its end the service had lost, and has again.
 * `held`: so many are kept here, and the service did not take them.
 */
export type FollowedList =
  | {
      readonly kind: "checked";
      readonly list: VerifiedList;
      readonly bytes: Bytes;
      readonly names: Bytes;
      readonly isForReading: boolean;
      readonly givenBack: number;
    }
  | { readonly kind: "none" }
  | { readonly kind: "refused"; readonly reason: "hidden_list"; readonly held?: number }
  | {
      readonly kind: "refused";
      readonly reason: ListReason;
      readonly bytes: Bytes;
      readonly names: Bytes;
      readonly held?: number;
    };

/**
 * Fetches an organization's list and checks it: from the newest head that was seen, or, at the first sight, from `trust`. Remembers the new head, and
 * whether the list is for reading alone.
 */
export async function followList(source: ListSource): Promise<FollowedList> {
  const followed = await follow(source, false);
  if (followed.kind !== "refused" || !isShort(followed.reason)) return followed;
  const lost = await findLost(source, followed);
  if (lost === undefined || source.giveBack === undefined) return followed;
  const isTaken = await source.giveBack(lost);
  // Somebody else may have given them back at the same time.
  const again = await follow(source, false);
  const count = lost.entries.length;
  if (again.kind === "checked") return { ...again, givenBack: isTaken ? count : 0 };
  return again.kind === "refused" ? { ...again, held: count } : again;
}

/** The list ends before what was seen, or is not there. */
function isShort(reason: Extract<FollowedList, { kind: "refused" }>["reason"]): boolean {
  return reason === "old_list" || reason === "hidden_list";
}

async function findLost(
  { organizationId, heads }: ListSource,
  refused: Extract<FollowedList, { kind: "refused" }>,
): Promise<LostEntries | undefined> {
  // Nothing but a signed head vouches for a list that is for reading.
  if ((await heads.findList(organizationId))?.isForReading) return undefined;
  const kept = await heads.findEntries(organizationId);
  return kept && findLostEntries(kept, "bytes" in refused ? refused.bytes : undefined);
}

/** A list as it was served, or put together of what is kept here and what was served, that verified or did not. */
interface Fetched {
  readonly bytes: Bytes;
  readonly names: Bytes;
  readonly list: VerifiedList | RefusalError<ListReason>;
  /** Whether its entries, and its names, differ from the kept ones. */
  readonly isNew: boolean;
  readonly isRenamed: boolean;
}

async function follow(source: ListSource, isAgain: boolean): Promise<FollowedList> {
  const { organizationId, heads } = source;
  const seen = await heads.findList(organizationId);
  const fetched = (seen && (await fetchLater(source, seen))) ?? (await fetchWhole(source, seen));
  if ("kind" in fetched) return fetched;
  const { bytes, names, list, isNew, isRenamed } = fetched;
  if (list instanceof RefusalError) return { kind: "refused", reason: list.reason, bytes, names };
  // Somebody may have been added between the two answers.
  const isMissing = isNew && [...list.members.values()].some(({ name }) => name === undefined);
  if (!isAgain && isMissing) return follow(source, true);
  const isKnown = seen !== undefined && seen.isForReading !== true;
  const isForReading = !isKnown && !isVouched(list, source.trust);
  // Another tab or program has seen a newer list meanwhile: this one has to continue it.
  const after = isForReading ? { ...list.head, isForReading } : list.head;
  if (!(await heads.advanceList(organizationId, seen, after))) return follow(source, false);
  if (isNew || isRenamed) await keep(source, fetched, list);
  return { kind: "checked", list, bytes, names, isForReading, givenBack: 0 };
}

/** Everything for the next sight, and for a service that loses the end of the list. */
async function keep(
  { organizationId, heads, fetchFrom }: ListSource,
  fetched: Fetched,
  list: VerifiedList,
): Promise<void> {
  const { bytes, names, isNew } = fetched;
  const kept = toKeptEntries(bytes, list, names);
  await heads.keepEntries(organizationId, kept);
  if (!isNew || fetchFrom === undefined) return;
  await heads.keepList(organizationId, kept.first === 1 ? undefined : formatKeptList(organizationId, bytes));
}

async function fetchWhole(source: ListSource, seen: SeenList | undefined): Promise<Fetched | FollowedList> {
  const { organizationId } = source;
  const [bytes, names = new Uint8Array()] = await Promise.all([source.fetchList(), source.fetchNames()]);
  if (bytes === undefined) return seen === undefined ? { kind: "none" } : { kind: "refused", reason: "hidden_list" };
  const first = findFirstNumber(bytes);
  if (first > entriesMax) return { kind: "refused", reason: "malformed", bytes, names };
  // Pages before these were not served, or others in their place.
  if (first > 1) return { kind: "refused", reason: "hidden_list" };
  const list = await verifyList(bytes, { organizationId, trust: toTrust(seen, source.trust), names });
  return { bytes, names, list, isNew: true, isRenamed: true };
}

/**
 * Continues what is kept here up to the head that was seen. `undefined` where nothing is kept, it is damaged, or what is served does not continue it: what the
 * whole list is refused for is said then.
 */
async function fetchLater(source: ListSource, seen: SeenList): Promise<Fetched | undefined> {
  const { organizationId, heads } = source;
  if (source.fetchFrom === undefined) return undefined;
  const keptList = await heads.findKeptList(organizationId);
  const kept = readKeptList(organizationId, seen, keptList);
  if (kept === undefined) return undefined;
  const known = keptList.entries && new TextEncoder().encode(formatNames(organizationId, keptList.entries.names));
  const [served, names = new Uint8Array()] = await Promise.all([source.fetchFrom(seen), source.fetchNames(known)]);
  if (served === undefined) return undefined;
  const later = served === "unchanged" ? new Uint8Array() : await findLater(served, seen);
  if (later === undefined) return undefined;
  const list = await verifyContinuedList(kept, later, { organizationId, head: seen, names });
  if (list instanceof RefusalError) return undefined;
  return { bytes: joinPages([kept, later]), names, list, isNew: later.length > 0, isRenamed: names !== known };
}

function toTrust(seen: SeenList | undefined, trust: FirstTrust): Trust {
  if (seen !== undefined) return { head: seen };
  return "signedHead" in trust ? { head: trust.signedHead } : trust;
}

function isVouched(list: VerifiedList, trust: FirstTrust): boolean {
  return "head" in trust ? list.membersAt(trust.head) !== undefined : isVouchedBy(list, trust.signingKey);
}
