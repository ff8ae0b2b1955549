import { RefusalError, verifySignedHead } from "@sealpost/envelope/form";
import type { AccountId } from "@sealpost/wire";
import type { DatabaseTransaction } from "../database/database.ts";
import type { MemberListStore } from "./member-list-store.ts";
import type { MemberStore } from "./member-store.ts";
import type { NewSignedHead, SignedHead, SignedHeadStore } from "./signed-head-store.ts";

/** The person who has signed, and the key. */
export interface HeadSigner {
  readonly personId: AccountId;
  readonly signingKey: string;
}

export interface SignedHeads {
  /**
   * Keeps the head if it is signed with this key (else `wrong`), the person is a member (else `not_member`), and it names an entry of the
   * organization's list (else `wrong`). Gives the one that is kept: of two of which the list has the entry, the one that names the later one.
   */
  keep(
    transaction: DatabaseTransaction,
    signer: HeadSigner,
    head: { readonly organizationId: string; readonly signedHead: string },
    now: number,
  ): Promise<SignedHead | "wrong" | "not_member">;
}

/** Every head is verified as a client does, so that nobody but who has the key can leave one. */
export function createSignedHeads({
  members,
  memberLists,
  signedHeadStore,
}: {
  readonly members: Pick<MemberStore, "findRole">;
  readonly memberLists: MemberListStore;
  readonly signedHeadStore: SignedHeadStore;
}): SignedHeads {
  return {
    async keep(transaction, { personId, signingKey }, { organizationId: named, signedHead }, now) {
      const head = await verifySignedHead(signedHead, { organizationId: named, signingKey });
      if (head instanceof RefusalError) return "wrong";
      const organizationId = named as AccountId; // what was verified names the same, and only ids are taken there
      if ((await members.findRole(organizationId, personId, transaction)) === undefined) return "not_member";
      if (!(await memberLists.hasEntry(transaction, organizationId, head))) return "wrong";
      const { number } = head;
      const next = { personId, signingKey, organizationId, signedHead, number, storedAt: now };
      return (await signedHeadStore.keep(transaction, next, await findLost(transaction, next))) ?? "not_member";
    },
  };

  /** The text of the kept one that would stay, but whose entry the list does not have any more, as after a backup was restored. */
  async function findLost(transaction: DatabaseTransaction, next: NewSignedHead): Promise<string | undefined> {
    const kept = await signedHeadStore.find(transaction, next);
    if (kept === undefined || kept.number < next.number || kept.signedHead === next.signedHead) return undefined;
    const { organizationId, signingKey } = next;
    const head = await verifySignedHead(kept.signedHead, { organizationId, signingKey });
    const isThere = !(head instanceof RefusalError) && (await memberLists.hasEntry(transaction, organizationId, head));
    return isThere ? undefined : kept.signedHead;
  }
}
