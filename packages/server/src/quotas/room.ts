import { channel } from "node:diagnostics_channel";
import type { AccountId } from "@sealpost/wire";
import { isOwnerWithSession } from "../access/owner-session.ts";
import type { Principal } from "../access/principal.ts";
import { Problem } from "../problems/problem.ts";
import type { WaitingSentence } from "../problems/waiting-codes.ts";
import { type RoomShare, roomShares } from "./quota.ts";

/**
 * Whether there is room for anything new on the disk, and in the account's share for what is no submission. Ask before a transaction begins: on SQLite the answer needs the one connection.
 */
export type HasRoom = (accountId?: AccountId, share?: RoomShare, asker?: Principal) => Promise<boolean>;

/** Each time it is asked, with the account. Tests listen, which hold every request that stores something to it (`testing/watch-requests.ts`). */
export const roomAsked = channel("sealpost:room-asked");

/** So long nobody need ask again. */
const fullRetrySeconds = 300;

/**
 * Throws below the disk's floor, and where the organization that they act for stores as much in addition to submissions as they may fill. What frees
 * room, ends something or lets somebody in does not ask.
 */
export async function requireRoom(hasRoom: HasRoom, principal?: Principal): Promise<void> {
  if (!(await hasRoom())) throw storageFull("anythingNew");
  if (principal !== undefined && !(await hasRoomFor(hasRoom, principal))) throw organizationFull();
}

export function hasRoomFor(hasRoom: HasRoom, principal: Principal): Promise<boolean> {
  const share = isOwnerWithSession(principal) ? roomShares.owner : roomShares.anybody;
  return hasRoom(principal.accountId, share, principal);
}

/** The same for new keys, which have some room of their own: a member who filled the rest must not stop a rotation. */
export async function requireRoomForRescue(hasRoom: HasRoom, principal: Principal): Promise<void> {
  if (!(await hasRoom())) throw storageFull("anythingNew");
  const share = isOwnerWithSession(principal) ? roomShares.ownersRescue : roomShares.rescue;
  if (!(await hasRoom(principal.accountId, share))) throw organizationFull();
}

export function organizationFull(): Problem {
  return new Problem(
    "unavailable",
    "This organization, with those that share its room, stores as much in addition to submissions as its plan allows, or its audit log is full. Deleting is still possible.",
    { retryAfter: fullRetrySeconds },
  );
}

const fullSentences = {
  submission: "The service has no room for submissions at the moment",
  anythingNew: "The service has no room for anything new at the moment. Deleting is still possible.",
} as const satisfies Readonly<Record<string, WaitingSentence>>;

/** The answer that a visitor reads below the disk's floor, and that of an account, which can make room. */
export function storageFull(refused: keyof typeof fullSentences): Problem {
  return new Problem("unavailable", fullSentences[refused], { retryAfter: fullRetrySeconds });
}
