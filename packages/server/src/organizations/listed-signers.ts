import type { AccountId } from "@sealpost/wire";
import type { MemberListStore } from "./member-list-store.ts";
import type { VerifiedLists } from "./verified-lists.ts";

/** Gives the signing keys of the owners and managers in an organization's signed list; `undefined` where it has none. Before any transaction. */
export function createFindListedSigners(memberLists: MemberListStore, verifiedLists: VerifiedLists) {
  return async (organizationId: AccountId, personId: AccountId): Promise<ReadonlySet<string> | undefined> => {
    const head = await memberLists.findHead(organizationId);
    if (head === undefined) return undefined;
    const { members } = await verifiedLists.load(organizationId, head, personId);
    const signing = [...members.values()].filter(({ role }) => role === "owner" || role === "manager");
    return new Set(signing.flatMap(({ signingKey }) => signingKey ?? []));
  };
}
