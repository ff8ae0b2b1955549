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
import { requireFewCounting } from "./member-changes.ts";
import type { OrganizationStore } from "./organization-store.ts";

export interface TakeOver {
  readonly organizations: Pick<OrganizationStore, "countCounting">;
  readonly organizationId: AccountId;
  /** An owner of it, who is locked. */
  readonly personId: AccountId;
  readonly defaultPlan: Plan;
  readonly hasQuotas: boolean;
}

/**
 * Makes an organization that somebody left behind count for one of its owners. False if it does already; throws where it counts for
 * another owner, where their room is too small for it, and where as many count for them already as one person may have made.
 */
export async function takeOverUsage(transaction: DatabaseTransaction, takeOver: TakeOver): Promise<boolean> {
  const { organizations, organizationId, personId, defaultPlan } = takeOver;
  const room = await findRoom(transaction, organizationId, defaultPlan);
  if (room === undefined || room.kind === "given")
    throw new Problem(
      "conflict",
      "This organization has room of its own, by its plan: what it stores counts for nobody",
    );
  if (room.kind === "shared") {
    if (room.personId === personId) return false;
    throw new Problem(
      "conflict",
      "What this organization stores counts for another owner: only what somebody left behind is taken over",
    );
  }
  // One that they left behind themselves counts for them already.
  if (room.leftBy !== personId) await requireFewCounting(organizations, transaction, personId);
  await requireRoom(transaction, takeOver);
  await countFor(transaction, organizationId, personId);
  return true;
}

async function requireRoom(transaction: DatabaseTransaction, takeOver: TakeOver): Promise<void> {
  const { organizationId, personId, defaultPlan, hasQuotas } = takeOver;
  const bytesMax = bytesMaxOf(defaultPlan);
  if (!hasQuotas || bytesMax === undefined) return;
  const own: SharedRoom = { personId, plan: defaultPlan };
  const [before, more] = [
    await countBytes(transaction, selectSharing(transaction, own)),
    await countBytes(transaction, [organizationId]),
  ];
  const total = totalOf(before) + totalOf(more);
  // Each log has room of its own.
  const [stored, max] = [before.otherBytes + more.otherBytes, bytesMax * otherShare];
  const names = async () => nameFullest(await listOwnSharing(transaction, own, personId));
  if (total > bytesMax)
    throw new Problem(
      "conflict",
      `With this organization your organizations would store ${toMebibytes(total)} MiB, and together they may store ${toMebibytes(bytesMax)} MiB. They are: ${await names()}. Delete what is not needed, there or here, or ask the operator for another plan.`,
    );
  if (stored > max)
    throw new Problem(
      "conflict",
      `With this organization your organizations would store ${toMebibytes(stored)} MiB in addition to submissions, and together they may store ${toMebibytes(max)} MiB. They are: ${await names()}. Delete forms that are not needed, there or here, or ask the operator for another plan.`,
    );
}

const toMebibytes = (bytes: number) => Math.ceil(bytes / 1_048_576);

const namedMax = 5;

/** Without a word: pages translate the sentence around it. */
function nameFullest(organizations: readonly SharingOrganization[]): string {
  const named = organizations.slice(0, namedMax).map((one) => `“${one.name}” (${toMebibytes(totalOf(one))} MiB)`);
  const left = organizations.length - named.length;
  return [...named, ...(left > 0 ? [`+${left}`] : [])].join(", ") || "–";
}
