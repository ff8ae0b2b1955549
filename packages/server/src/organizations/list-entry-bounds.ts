import { entriesMax, openPlaces, ownerPlaces, stageOf } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { Role } from "../access/roles.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds } from "../time/clock.ts";
import type { MemberListStore } from "./member-list-store.ts";

/** For a member who is neither owner nor manager: a key and what vouches for it, five times, as keys are replaced. */
const ownEntriesPerDay = 10;
/** The open places are full after 48 days of one manager at the earliest: there is time to see it and to remove them. */
const managerEntriesPerDay = 64;

interface Writer {
  readonly organizationId: AccountId;
  readonly personId: AccountId;
  readonly role: Role | undefined;
}

/**
 * Throws where the one who signs has added as many entries within a day as their role may: a part of the list ends, and nothing is taken out of it.
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

/** There is room in one for years: who begins more of them fills what every member fetches. */
const partsPerDay = 4;

/** Throws where the organization has begun as many parts within a day as it may; `first` is the number with which the newest begins. */
export async function requireFewParts(
  memberLists: Pick<MemberListStore, "findBegun">,
  transaction: DatabaseTransaction,
  { organizationId, first }: Pick<Writer, "organizationId"> & { readonly first: number },
  now: number,
): Promise<void> {
  const begun = await memberLists.findBegun(transaction, organizationId, first, partsPerDay, now);
  if (begun === undefined) return;
  throw new Problem("rate_limited", `An organization begins at most ${partsPerDay} parts of its list within a day`, {
    retryAfter: Math.max(1, Math.ceil((begun + dayMilliseconds - now) / 1000)),
  });
}

/** For the last entry, before anything is verified. The list's own rules say the same of signers, whose role in the list may be another than in the organization. */
export function requirePlace(role: Role | undefined, place: number): void {
  const stage = stageOf(place);
  const isForOwners = stage !== "open" && role !== "owner";
  if (stage !== "full" && !isForOwners) return;
  throw new Problem(
    "conflict",
    `A part of a signed list of members has at most ${entriesMax} entries. The last ${entriesMax - openPlaces} are for owners, and the last ${entriesMax - ownerPlaces} of these for removals`,
  );
}
