import type { VerifiedList } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import { Problem } from "../problems/problem.ts";
import type { MemberListStore } from "./member-list-store.ts";
import type { OrganizationStore } from "./organization-store.ts";
import type { VerifiedLists } from "./verified-lists.ts";

export interface RecoveryRuleDependencies {
  readonly organizations: OrganizationStore;
  readonly memberLists: MemberListStore;
  readonly verifiedLists: VerifiedLists;
}

/** Refuses an envelope of an organization that wants a recovery key and has none in its signed list. Before any transaction. */
export function createRecoveryRule({ organizations, memberLists, verifiedLists }: RecoveryRuleDependencies) {
  return async (organizationId: AccountId, personId: AccountId): Promise<void> => {
    if (!(await organizations.requiresRecovery(organizationId))) return;
    const head = await memberLists.findHead(organizationId);
    const list = head && (await verifiedLists.load(organizationId, head, personId));
    if (!hasRecoveryKey(list)) throw recoveryKeyNeeded();
  };
}

export function hasRecoveryKey(list: VerifiedList | undefined): boolean {
  return list !== undefined && [...list.members.values()].some(({ role }) => role === "recovery");
}

export function recoveryKeyNeeded(): Problem {
  return new Problem(
    "conflict",
    "This organization wants a recovery key in its list of members: an owner makes one in the dashboard, under Members",
  );
}
