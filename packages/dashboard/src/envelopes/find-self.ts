import type { Member, PublicHalves, VerifiedList } from "@sealpost/envelope";

/**
 * The person in a verified list: whoever has the key that is open here, or one of `former` in the place of which it was put, the newest last. A person who leaves
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
