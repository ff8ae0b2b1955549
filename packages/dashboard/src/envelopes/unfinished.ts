import { findLeft, findRekeyed, findUnvouched, type Member } from "@sealpost/envelope";
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
  /** Who got other keys since this browser last saw all envelopes in order, or, where it never has, since they were added. */
  readonly renewed: readonly Member[];
  /** Whom nobody in good standing vouches for: nothing is sealed for them. */
  readonly unvouched: readonly StandingRow[];
  /** Since then a reader has left the list, or got other keys, also if they are back with the same ones, and forms were not looked through. */
  readonly isToCheck: boolean;
}

/**
 * Compares the signed list with the members by the server's word, and with the list of the moment at which this browser last looked through all forms.
 * A list that has never lost anybody has as many entries as members, and one more for each recovery key, which has signed once.
 */
export async function findUnfinished(
  { heads, organizationId, own }: Pick<EnvelopeContext, "heads" | "organizationId" | "own">,
  checked: CheckedList,
  known: readonly Pick<ServerMember, "id" | "role">[],
): Promise<Unfinished> {
  const { list } = checked;
  const checkedAt = await heads.findSwept(organizationId);
  const since = checkedAt && list.membersAt(checkedAt) ? checkedAt : undefined;
  const people = [...list.members.values()].filter(
    ({ signingKey, role }) => signingKey !== null && role !== "recovery",
  );
  const left = findLeft(list, since ?? { number: 0 });
  // A browser that has never looked through all forms can't tell which keys were accepted in another one.
  const rekeyed = findRekeyed(list, since ?? { number: 0 });
  // One's own new key needs nobody's word.
  const renewed = people.filter(({ id }) => id !== checked.own.id && rekeyed.has(id));
  const signed = [...list.members.values()].filter(
    ({ role, signingKey }) => role === "recovery" && signingKey !== null,
  );
  const roles = new Map(known.map(({ id, role }) => [id, role]));
  return {
    // Whose id has changed is in the list under the former one.
    left: people.filter(({ id }) => id !== checked.own.id && !roles.has(id)),
    otherRole: people.flatMap((member) => {
      const role = roles.get(member.id);
      return role === undefined || role === member.role ? [] : [{ member, role }];
    }),
    renewed,
    unvouched: await toStandingRows(await findUnvouched(list, { own, confirmed: checked.confirmed }), checked),
    isToCheck:
      since === undefined ? list.head.number > list.members.size + signed.length : left.size > 0 || renewed.length > 0,
  };
}
