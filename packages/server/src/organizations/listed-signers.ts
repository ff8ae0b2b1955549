import type { AccountId } from "@sealpost/wire";
import type { ListedSigners } from "../forms/listed-signers.ts";
import type { MemberListStore } from "./member-list-store.ts";
import type { VerifiedLists } from "./verified-lists.ts";

/** Gives those who may be signers of key logs by an organization's signed list; `undefined` where it has none. Before any transaction. */
export function createFindListedSigners(memberLists: MemberListStore, verifiedLists: VerifiedLists) {
  return async (organizationId: AccountId, personId: AccountId): Promise<ListedSigners | undefined> => {
    const head = await memberLists.findHead(organizationId);
    if (head === undefined) return undefined;
    const { members } = await verifiedLists.load(organizationId, head, personId);
    const ofRoles = (...roles: readonly string[]) =>
      new Set(
        [...members.values()].flatMap(({ role, signingKey }) => (roles.includes(role) ? (signingKey ?? []) : [])),
      );
    return { owners: ofRoles("owner", "recovery"), managers: ofRoles("manager") };
  };
}
