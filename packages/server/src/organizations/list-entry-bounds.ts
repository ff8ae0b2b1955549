import type { ListEntry, Unnamed } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Role } from "../access/roles.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { MemberListStore } from "./member-list-store.ts";

/** For a member who is neither owner nor manager: a key and what vouches for it, five times, as keys are replaced. */
const ownEntriesPerDay = 10;
/** The service's open entries are full after 192 days of one manager at the earliest: there is time to see it and to remove them. */
const managerEntriesPerDay = 64;

/** The service keeps no longer list: 68,812,800 bytes. Clients read twice as many entries, and the format has no bound of them (SPECIFICATION.md section 14). */
const entriesMax = 16_384;
/** The last quarter after these is for owners and recovery keys. */
const openEntries = 12_288;
/** The last ones are for removals, so that an owner can always remove somebody. */
const removalEntries = 64;

interface Writer {
  readonly organizationId: AccountId;
  readonly personId: AccountId;
  readonly role: Role | undefined;
}

/**
 * Throws where the one who signs has added as many entries within a day as their role may: a list has an end here, and nothing is taken out of it.
 * Owners have no bound of a day: the last quarter is for them alone.
 */
export async function requireSeldom(
  memberLists: Pick<MemberListStore, "findFromEnd">,
  transaction: DatabaseTransaction,
  { organizationId, personId, role }: Writer,
  adding: number,
  now: number,
): Promise<void> {
  if (role === "owner") return;
  const max = role === "manager" ? managerEntriesPerDay : ownEntriesPerDay;
  const first = await memberLists.findFromEnd(transaction, organizationId, personId, max - adding + 1, now);
  if (first === undefined) return;
  const retryAfter = Math.max(1, Math.ceil((first + dayMilliseconds - now) / 1000));
  throw role === "manager"
    ? new Problem("rate_limited", `A manager puts at most ${managerEntriesPerDay} entries into the list within a day`, {
        retryAfter,
      })
    : new Problem(
        "rate_limited",
        `A member who reads puts at most ${ownEntriesPerDay} entries into the list within a day`,
        { retryAfter },
      );
}

/**
 * Throws where the service has no room for an entry with this number. Before anything is verified, `role` is that of the session; then that of the signer in
 * the list.
 */
export function requireNumber(
  number: number,
  role: Unnamed["role"] | undefined,
  change: ListEntry["change"] = "remove",
): void {
  const isForOwners = number > openEntries && role !== "owner" && role !== "recovery";
  const isForRemovals = number > entriesMax - removalEntries && (role !== "owner" || change !== "remove");
  if (number <= entriesMax && !isForOwners && !isForRemovals) return;
  throw new Problem(
    "conflict",
    `A signed list of members has at most ${entriesMax} entries here. The last ${entriesMax - openEntries} are for owners, and the last ${removalEntries} of these for removals`,
  );
}
