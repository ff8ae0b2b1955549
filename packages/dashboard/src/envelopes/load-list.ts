import {
  type FollowedList,
  followList,
  type Member,
  RefusalError,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import type { Bytes, EnvelopeContext } from "./context.ts";
import type { ListToCheck } from "./form-operations.ts";
import { findOwnHead, keepOwnHead } from "./own-head.ts";

export interface CheckedList {
  readonly kind: "checked";
  readonly list: VerifiedList;
  /** As it was received: another thread checks it again. */
  readonly bytes: Bytes;
  /** The person as a member. */
  readonly own: Member;
}

/**
 * A list that may not be used. `own_key_differs`: it has another key for the person than the one that is open. `wrong_head`: the person has not signed what
 * the server shows as their signed head.
 */
export type ListRefusal = Extract<FollowedList, { kind: "refused" }>["reason"] | "own_key_differs" | "wrong_head";

export type LoadedList =
  | CheckedList
  | { readonly kind: "none" }
  /**
   * There is a list, and the person is not in it, or nobody here vouches for it. Then `admitters`, the others who may bring them in, are the
   * server's word alone, and so is `isNamed`: that it has the person, perhaps with a former key.
   */
  | { readonly kind: "stranger"; readonly admitters: readonly string[]; readonly isNamed: boolean }
  | { readonly kind: "refused"; readonly reason: ListRefusal };

/**
 * Fetches the organization's list and checks it: from the newest head that this browser has seen, or, at the first sight, from the head that the
 * person has signed on another device, or else by entries that they have signed. Remembers the new head, and signs it for other devices.
 */
export async function loadList(context: EnvelopeContext): Promise<LoadedList> {
  const { organizationId, heads, api } = context;
  const ownHead = await findOwnHead(context);
  if (ownHead instanceof RefusalError) return { kind: "refused", reason: "wrong_head" };
  const trust = ownHead === undefined ? { signingKey: context.own.signingKey } : { head: ownHead };
  const followed = await followList({ organizationId, heads, fetchList: api.fetchList, trust });
  if (followed.kind === "none") return ownHead === undefined ? followed : { kind: "refused", reason: "hidden_list" };
  if (followed.kind === "refused")
    return followed.reason === "not_vouched"
      ? { kind: "stranger", ...(await readClaims(followed.bytes, context)) }
      : { kind: "refused", reason: followed.reason };
  const { list, bytes } = followed;
  void keepOwnHead(context, list.head);
  const own = list.members.get(context.personId);
  if (own === undefined) return { kind: "stranger", admitters: admittersOf(list, context.personId), isNamed: false };
  const isOwn = own.recipient === context.own.recipient && own.signingKey === context.own.signingKey;
  return isOwn ? { kind: "checked", list, bytes, own } : { kind: "refused", reason: "own_key_differs" };
}

/** From a list which nobody here vouches for: whom to ask, and nothing else. */
async function readClaims(bytes: Bytes, { organizationId, personId }: EnvelopeContext) {
  const [line = ""] = new TextDecoder().decode(bytes).split("\n");
  const { member } = JSON.parse(line) as { member: { signingKey: string } }; // the list was verified but for whom it is trusted by
  const list = await verifyList(bytes, { organizationId, trust: { signingKey: member.signingKey } });
  if (list instanceof RefusalError) return { admitters: [], isNamed: false };
  return { admitters: admittersOf(list, personId), isNamed: list.members.has(personId) };
}

/** Nobody brings themselves in. */
function admittersOf({ members }: VerifiedList, personId: string): readonly string[] {
  const admitters = [...members.values()].filter(({ role }) => role === "owner" || role === "manager");
  return admitters.filter(({ id }) => id !== personId).map(({ name }) => name);
}

/** The list as another thread checks it again. */
export function toListToCheck({ list: { organizationId, head }, bytes }: CheckedList): ListToCheck {
  return { organizationId, bytes, head };
}
