import { RefusalError, verifySignedHead } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";
import type { MemberListStore } from "./member-list-store.ts";
import type { MemberStore } from "./member-store.ts";
import type { SignedHead, SignedHeadStore } from "./signed-head-store.ts";

/** Who has signed, and with which key. */
export interface HeadSigner {
  readonly personId: AccountId;
  readonly signingKey: string;
}

export interface SignedHeads {
  /**
   * Keeps the head if it is signed with this key, names an entry of the organization's list, and the person is a member; else `undefined`. Gives
   * the one that is kept: of two, the one that names the later entry.
   */
  keep(
    transaction: DatabaseTransaction,
    signer: HeadSigner,
    head: { readonly organizationId: string; readonly signedHead: string },
    now: number,
  ): Promise<SignedHead | undefined>;
}

/** Every head is verified as a client does, so that nobody but who has the key can leave one. */
export function createSignedHeads({
  members,
  memberLists,
  signedHeadStore,
}: {
  readonly members: MemberStore;
  readonly memberLists: MemberListStore;
  readonly signedHeadStore: SignedHeadStore;
}): SignedHeads {
  return {
    async keep(transaction, { personId, signingKey }, { organizationId: named, signedHead }, now) {
      const head = await verifySignedHead(signedHead, { organizationId: named, signedBy: personId, signingKey });
      if (head instanceof RefusalError) return undefined;
      const organizationId = named as AccountId; // what was verified names the same, and only ids are taken there
      if ((await members.findRole(organizationId, personId, transaction)) === undefined) return undefined;
      if (!(await memberLists.hasEntry(transaction, organizationId, head))) return undefined;
      const { number } = head;
      return signedHeadStore.keep(transaction, {
        ...{ personId, signingKey, organizationId, signedHead },
        ...{ number, storedAt: now },
      });
    },
  };
}
