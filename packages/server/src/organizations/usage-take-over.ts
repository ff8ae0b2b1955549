import type { AccountId } from "@sealpost/wire";
import type { Plan } from "../config/config.ts";
import type { DatabaseTransaction } from "../database/database.ts";
import { Problem } from "../problems/problem.ts";
import { bytesMaxOf, otherShare } from "../quotas/quota.ts";
import {
  countBytes,
  countFor,
  findRoom,
  listOwnSharing,
  type SharedRoom,
  type SharingOrganization,
  selectSharing,
  totalOf,
} from "../quotas/shared-room-store.ts";

export interface TakeOver {
  readonly organizationId: AccountId;
  /** An owner of it, who is locked. */
  readonly personId: AccountId;
  readonly defaultPlan: Plan;
  readonly hasQuotas: boolean;
}

/**
 * Makes an organization that somebody left behind count for one of its owners. False if it does already; throws where it counts for
 * another owner, and where their room is too small for it.
 */
export async function takeOverUsage(transaction: DatabaseTransaction, takeOver: TakeOver): Promise<boolean> {
  const { organizationId, personId, defaultPlan } = takeOver;
  const room = (await findRoom(transaction, organizationId, defaultPlan))?.shared;
  if (room === undefined)
    throw new Problem(
      "conflict",
      "This organization has room of its own, by its plan: what it stores counts for nobody",
    );
  if (room.of === "counts_for") {
    if (room.personId === personId) return false;
    throw new Problem(
      "conflict",
      "What this organization stores counts for another owner: only what somebody left behind is taken over",
    );
  }
  await requireRoom(transaction, takeOver);
  await countFor(transaction, organizationId, personId);
  return true;
}

async function requireRoom(transaction: DatabaseTransaction, takeOver: TakeOver): Promise<void> {
  const { organizationId, personId, defaultPlan, hasQuotas } = takeOver;
  const bytesMax = bytesMaxOf(defaultPlan);
  if (!hasQuotas || bytesMax === undefined) return;
  const own: SharedRoom = { of: "counts_for", personId, plan: defaultPlan };
  const [before, more] = [
    await countBytes(transaction, selectSharing(transaction, own)),
    await countBytes(transaction, [organizationId]),
  ];
  const total = totalOf(before) + totalOf(more);
  const other = before.otherBytes + more.otherBytes;
  const names = async () => nameFullest(await listOwnSharing(transaction, own, personId));
  if (total > bytesMax)
    throw new Problem(
      "conflict",
      `With this organization your organizations would store ${toMebibytes(total)} MiB, and together they may store ${toMebibytes(bytesMax)} MiB. They are: ${await names()}. Delete what is not needed, there or here, or ask the operator for another plan.`,
    );
  if (other > bytesMax * otherShare)
    throw new Problem(
      "conflict",
      `With this organization your organizations would store ${toMebibytes(other)} MiB in addition to submissions, and together they may store ${toMebibytes(bytesMax * otherShare)} MiB. They are: ${await names()}. Delete forms that are not needed, there or here, or ask the operator for another plan.`,
    );
}

/**
 * Throws when a person, who is locked and wants to make another organization, has filled the room of what they left: it would be an
 * empty room for them once more.
 */
export async function requireRoomLeftBehind(
  transaction: DatabaseTransaction,
  { personId, defaultPlan, hasQuotas }: Omit<TakeOver, "organizationId">,
): Promise<void> {
  const bytesMax = bytesMaxOf(defaultPlan);
  if (!hasQuotas || bytesMax === undefined) return;
  const count = async (of: SharedRoom["of"]) =>
    totalOf(await countBytes(transaction, selectSharing(transaction, { of, personId, plan: defaultPlan })));
  const left = await count("left_by");
  if (left > bytesMax || left + (await count("counts_for")) > 2 * bytesMax)
    throw new Problem(
      "conflict",
      `The organizations that you left behind store ${toMebibytes(left)} MiB, and you make another one when they, and yours, are within what they may store together, ${toMebibytes(bytesMax)} MiB each. Have their owners take them over, or delete what is not needed.`,
    );
}

const toMebibytes = (bytes: number) => Math.ceil(bytes / 1_048_576);

const namedMax = 5;

function nameFullest(organizations: readonly SharingOrganization[]): string {
  const named = organizations.slice(0, namedMax).map((one) => `“${one.name}” (${toMebibytes(totalOf(one))} MiB)`);
  const left = organizations.length - named.length;
  return [...named, ...(left > 0 ? [`${left} more`] : [])].join(", ") || "none";
}
