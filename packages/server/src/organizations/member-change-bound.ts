import type { AccountId } from "@sealpost/wire";
import { managesFewer, type Role } from "../access/roles.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import { dayMilliseconds } from "../time/clock.ts";
import { findChangedAt } from "./member-change-store.ts";
import { type Member, memberChangesPerDay } from "./organization.ts";

/** A change of a member's role, or of the forms that it names. */
export interface BoundedChange {
  readonly by: Pick<Member, "personId" | "role">;
  readonly from: Role;
  readonly to: Role;
  readonly now: number;
}

/** The time of the change of a member that was made so many ago, the newest being 1; of one person's, if one is given. */
export type FindAt = (count: number, madeBy?: AccountId) => Promise<number | undefined>;

type Bounds = Readonly<Record<keyof typeof memberChangesPerDay, number>>;

/**
 * Throws when the members of an organization, which is locked, were changed so often within a day that nobody changes another role or its
 * forms (docs/decisions/0060-history-of-members.md).
 */
export async function requireFewChanges(
  transaction: DatabaseTransaction,
  organizationId: AccountId,
  change: BoundedChange,
): Promise<void> {
  const { now } = change;
  const freeAt = await findFreeAt(change, (count, madeBy) =>
    findChangedAt(transaction, organizationId, { count, now, madeBy }),
  );
  if (freeAt === undefined) return;
  throw new Problem(
    "rate_limited",
    `The members of an organization are changed at most ${maxOf(change, memberChangesPerDay)} times within a day. Removing a member still works, and so does taking the rights of an owner or a manager.`,
    { retryAfter: Math.max(1, Math.ceil((freeAt - now) / 1000)) },
  );
}

/**
 * The time at which the change will be possible; `undefined`: it is. What takes the rights of an owner or a manager always is, as is all
 * that ends a membership: a thief could use up what there is. Such changes have an end of their own, since somebody has to give these
 * rights before they can be taken again.
 */
export async function findFreeAt(
  change: BoundedChange,
  findAt: FindAt,
  bounds: Bounds = memberChangesPerDay,
): Promise<number | undefined> {
  const { by, from, to, now } = change;
  if (managesFewer(from, to)) return undefined;
  const ofAll = await findEnd(maxOf(change, bounds));
  if (ofAll === undefined || by.role !== "owner") return ofAll;
  const own = await findEnd(bounds.ofOwner, by.personId);
  return own && Math.min(ofAll, own);

  async function findEnd(...asked: Parameters<FindAt>): Promise<number | undefined> {
    const at = await findAt(...asked);
    return at !== undefined && at > now - dayMilliseconds ? at + dayMilliseconds : undefined;
  }
}

function maxOf({ by }: BoundedChange, { all, withOwners }: Bounds): number {
  return by.role === "owner" ? withOwners : all;
}
