import { findUnvouched, hasReplacedKeys, type Member } from "@sealpost/envelope";
import type { Member as ServerMember } from "@sealpost/sdk";
import { type StandingRow, toStandingRows } from "./answer-standing.ts";
import type { EnvelopeContext } from "./context.ts";
import type { CheckedList } from "./load-list.ts";

/** People about whom envelopes may be out of date. */
export interface Unfinished {
  /** In the signed list, and by the server's word no longer members: to be taken out by somebody who knows that it is so. */
  readonly left: readonly Member[];
  /** With another role than the server says. What the list says decides who may sign and read. */
  readonly otherRole: readonly { readonly member: Member; readonly role: ServerMember["role"] }[];
  /** With other keys than when this browser last saw all envelopes in order; where it never has, than those they were added with. */
  readonly renewed: readonly Member[];
  /** Whom nobody in good standing vouches for: nothing is sealed for them. */
  readonly unvouched: readonly StandingRow[];
  /** Somebody was removed from the list since then, or has other keys, and forms were not looked through. */
  readonly isToCheck: boolean;
}

/**
 * Compares the signed list with the members by the server's word, and with the list of the moment at which this browser last looked through all forms.
 * A list that has never lost anybody has as many entries as members, and one more for each recovery key, which has signed once.
 */
export async function findUnfinished(
  { heads, organizationId, personId, own }: EnvelopeContext,
  checked: CheckedList,
  known: readonly Pick<ServerMember, "id" | "role">[],
): Promise<Unfinished> {
  const { list } = checked;
  const checkedAt = await heads.findSwept(organizationId);
  const then = checkedAt && list.membersAt(checkedAt);
  const people = [...list.members.values()].filter(
    ({ signingKey, role }) => signingKey !== null && role !== "recovery",
  );
  // A browser that has never looked through all forms can't tell which keys were accepted in another one.
  const isNew = ({ id, recipient }: Member) =>
    then === undefined ? hasReplacedKeys(list, id) : then.has(id) && then.get(id)?.recipient !== recipient;
  // One's own new key needs nobody's word.
  const isRenewed = (member: Member) => member.id !== personId && isNew(member);
  const hasLost = then !== undefined && [...then.keys()].some((id) => !list.members.has(id));
  const renewed = people.filter(isRenewed);
  const signed = [...list.members.values()].filter(
    ({ role, signingKey }) => role === "recovery" && signingKey !== null,
  );
  const roles = new Map(known.map(({ id, role }) => [id, role]));
  return {
    left: people.filter(({ id }) => !roles.has(id)),
    otherRole: people.flatMap((member) => {
      const role = roles.get(member.id);
      return role === undefined || role === member.role ? [] : [{ member, role }];
    }),
    renewed,
    unvouched: await toStandingRows(await findUnvouched(list, { own, confirmed: checked.confirmed }), checked),
    isToCheck:
      then === undefined ? list.head.number > list.members.size + signed.length : hasLost || renewed.length > 0,
  };
}
