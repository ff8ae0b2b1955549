import type { Member, PublicHalves, VerifiedList } from "@sealpost/envelope";

/**
 * The person in a verified list: the member with the key that is open here, or with one of `former`, which it has replaced, the newest last. A person who leaves
 * the organization with their id gets another one, and lists keep the former. Without their key it is the member with the id of their session.
 */
export function findSelf(
  { members }: Pick<VerifiedList, "members">,
  { own, personId }: { readonly own: PublicHalves; readonly personId: string },
  former: readonly PublicHalves[] = [],
): Member | undefined {
  for (const { recipient, signingKey } of [own, ...former.toReversed()])
    for (const member of members.values())
      if (member.recipient === recipient && member.signingKey === signingKey) return member;
  return members.get(personId);
}
