import { findSealable, followList, type Member, RefusalError, type VerifiedList, verifyList } from "@sealpost/envelope";
import { type KnownList, type SealingList, UnusableListError } from "@sealpost/sdk/envelopes";
import type { ListRefusal } from "../refusals.ts";
import { shownName } from "../texts/shown-name.ts";
import type { EnvelopeContext } from "./context.ts";
import { findSelf } from "./find-self.ts";
import { noteGivenBack } from "./given-back.ts";
import { findFirstTrust, keepOwnHead } from "./own-head.ts";

interface ListWithOwn extends KnownList {
  /** The person as a member. */
  readonly own: Member;
}

/** A list to read, sign and seal by. */
export interface CheckedList extends SealingList {
  readonly kind: "checked";
}

/** Nothing vouches for it but what another device has signed, which may be old: nothing is signed by it, nor sealed for anybody in it. */
export interface ListForReading extends ListWithOwn {
  readonly kind: "for_reading";
}

export type ReadableList = CheckedList | ListForReading;

export type LoadedList =
  | ReadableList
  | { readonly kind: "none" }
  /**
   * There is a list, and the person is not in it, or nobody here vouches for it. Then `admitters`, the others who may bring them in, are the
   * server's word alone, and so is `isNamed`: that it has the person, perhaps with a former key.
   */
  | { readonly kind: "stranger"; readonly admitters: readonly string[]; readonly isNamed: boolean }
  | { readonly kind: "refused"; readonly reason: ListRefusal };

/**
 * Fetches the organization's list and checks it: from the newest head that this browser has seen, or, at the first sight, from the head that the
 * person has signed on another device, or else by entries that they have signed. Remembers the new head, and signs it for other devices. A list that has
 * the signed head and no entry of theirs is for reading.
 */
export async function loadList(context: EnvelopeContext): Promise<LoadedList> {
  const { organizationId, heads } = context;
  const trust = await findFirstTrust(context);
  if (trust instanceof RefusalError) return { kind: "refused", reason: "wrong_head" };
  const followed = await followList({ organizationId, heads, ...fetching(context), trust });
  if (followed.kind === "none") return "signedHead" in trust ? { kind: "refused", reason: "hidden_list" } : followed;
  if (followed.kind === "refused")
    return followed.reason === "not_vouched"
      ? { kind: "stranger", ...(await readClaims(followed, context)) }
      : { kind: "refused", reason: followed.reason };
  const { list, bytes, names, isForReading, givenBack } = followed;
  if (givenBack > 0) noteGivenBack(givenBack);
  const own = findSelf(list, context);
  void keepOwnHead({ ...context, personId: own?.id ?? context.personId }, list.head);
  if (own === undefined) return { kind: "stranger", admitters: admittersOf(list, context.personId), isNamed: false };
  const isOwn = own.recipient === context.own.recipient && own.signingKey === context.own.signingKey;
  if (!isOwn) return { kind: "refused", reason: "own_key_differs" };
  if (isForReading) return { kind: "for_reading", list, bytes, names, own };
  const confirmed = await heads.findConfirmed(organizationId);
  const sealable = await findSealable(list, { own: context.own, confirmed });
  return { kind: "checked", list, bytes, names, own, confirmed, sealable };
}

export function isReadable(list: { readonly kind: string }): list is ReadableList {
  return list.kind === "checked" || list.kind === "for_reading";
}

/** From a list which nobody here vouches for: whom to ask, and nothing else. */
async function readClaims(
  { bytes, names }: Pick<ListWithOwn, "bytes" | "names">,
  { organizationId, personId, own }: EnvelopeContext,
) {
  const [line = ""] = new TextDecoder().decode(bytes).split("\n");
  const { member } = JSON.parse(line) as { member: { signingKey: string } }; // the list was verified but for whom it is trusted by
  const list = await verifyList(bytes, { organizationId, trust: { signingKey: member.signingKey }, names });
  if (list instanceof RefusalError) return { admitters: [], isNamed: false };
  const self = findSelf(list, { own, personId });
  return { admitters: admittersOf(list, self?.id ?? personId), isNamed: self !== undefined };
}

/** Nobody brings themselves in. */
function admittersOf({ members }: VerifiedList, personId: string): readonly string[] {
  const admitters = [...members.values()].filter(({ role }) => role === "owner" || role === "manager");
  return admitters.filter(({ id }) => id !== personId).map(shownName);
}

/** The requests of `followList`. The service takes lost entries from owners alone. */
export function fetching({ api, isOwner }: Pick<EnvelopeContext, "api" | "isOwner">) {
  const { fetchList, fetchFrom, fetchNames, giveListBack } = api;
  return { fetchList, fetchFrom, fetchNames, ...(isOwner && { giveBack: giveListBack }) };
}

/** The list that the server shows may not be used. */
export class ListUnusable extends UnusableListError {
  readonly list: Exclude<LoadedList, CheckedList>;

  constructor(list: Exclude<LoadedList, CheckedList>) {
    super("The list of members can't be used");
    this.list = list;
  }
}

/** The list to write by. Rejects with `ListUnusable` where it may not be used for that. */
export async function loadCheckedList(context: EnvelopeContext): Promise<CheckedList> {
  const list = await loadList(context);
  if (list.kind !== "checked") throw new ListUnusable(list);
  return list;
}

/** The list to read by. Rejects with `ListUnusable`. */
export async function loadReadableList(context: EnvelopeContext): Promise<ReadableList> {
  const list = await loadList(context);
  if (!isReadable(list)) throw new ListUnusable(list);
  return list;
}
