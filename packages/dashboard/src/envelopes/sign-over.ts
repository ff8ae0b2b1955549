import {
  type Change,
  findUnvouched,
  followList,
  isVouchedBy,
  type Member,
  mayChange,
  RefusalError,
  type VerifiedList,
} from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { listAfter } from "@sealpost/sdk/envelopes";
import { isAsShown, type StandingRow, toStandingRows, toVouch } from "./answer-standing.ts";
import type { EnvelopeContext } from "./context.ts";
import { findSelf } from "./find-self.ts";
import { fetching, isReadable, type LoadedList, loadList } from "./load-list.ts";

/** `no_former_key`: the key that the list has is not open here, so it can't sign: somebody else has to put the new one in. */
export type SignedOver = LoadedList | { readonly kind: "no_former_key" };

const triesMax = 5;

/**
 * The list, also where this browser has not seen it and the open key has signed nothing in it: it is trusted by a former key then, which this
 * browser has seen as the person's own.
 */
export async function loadListToSignOver(context: EnvelopeContext): Promise<LoadedList> {
  const { organizationId, personId, heads, api } = context;
  const loaded = await loadList(context);
  if (loaded.kind !== "stranger" || (await heads.findList(organizationId)) !== undefined) return loaded;
  for (const { signingKey } of await heads.findFormerKeys(personId)) {
    const source = { organizationId, heads, ...fetching({ api, isOwner: false }), trust: { signingKey } };
    if ((await followList(source)).kind === "checked") return loadList(context);
  }
  return loaded;
}

/** Members who lose their vouching when the open key replaces the former one: somebody else may have used that key to bring them in. */
export interface BroughtIn {
  readonly rows: readonly StandingRow[];
  /** Others who could give the person a new key in the list: they then answer about all of these. */
  readonly colleagues: readonly Member[];
}

/** Finds the members to ask about before the open key takes the place of the former one in the list. None where there is no list to do it in. */
export async function findBroughtIn(context: EnvelopeContext): Promise<BroughtIn> {
  const nobody = { rows: [], colleagues: [] };
  const loaded = await loadListToSignOver(context);
  const isOther = loaded.kind === "refused" && loaded.reason === "own_key_differs";
  if (loaded.kind !== "checked" && !isOther) return nobody;
  const { organizationId, personId, own, heads, api } = context;
  const followed = await followList({ organizationId, heads, ...fetching({ api, isOwner: false }), trust: own });
  const self =
    followed.kind === "checked" ? findSelf(followed.list, context, await heads.findFormerKeys(personId)) : undefined;
  // By a list for reading nothing is said of anybody: they are asked about once it is one to write by.
  if (followed.kind !== "checked" || followed.isForReading || self === undefined) return nobody;
  const { list } = followed;
  const confirmed = await heads.findConfirmed(organizationId);
  // The person's own entry: what nobody vouched for before is asked about elsewhere, but after it all of these.
  const changes = isOther ? [{ change: "replace", member: { ...self, ...own } } as const] : [];
  const rows = await toStandingRows(await findUnvouched(list, { own, confirmed }, changes), { own: self, list });
  return { rows, colleagues: isOther ? findColleagues(list, self) : [] };
}

function findColleagues({ members }: VerifiedList, self: Member): readonly Member[] {
  return [...members.values()].filter(
    (one) => one.id !== self.id && one.role !== "recovery" && mayChange(one, self, self),
  );
}

/**
 * Puts the open key in the place of the former one in the organization's list, signed with the former one. A second entry, signed with the new
 * one, is what a browser that has seen no head yet trusts the list by; it is left out where the list is for reading, as it would vouch for what nothing here
 * vouches for. That second entry vouches for members whom the person says to have brought in themself (`claimed`): the entry before has cut what led from
 * them to the person. Done again, it adds what is missing.
 */
export async function signOver(
  context: EnvelopeContext,
  claimed: readonly StandingRow[] = [],
  tries: number = triesMax,
): Promise<SignedOver> {
  const { organizationId, personId, own, heads, api, keyAgent } = context;
  const loaded = await loadListToSignOver(context);
  const isOther = loaded.kind === "refused" && loaded.reason === "own_key_differs";
  if (!isReadable(loaded) && !isOther) return loaded;
  // The head was seen by now, so nothing else is trusted.
  const followed = await followList({ organizationId, heads, ...fetching({ api, isOwner: false }), trust: own });
  if (followed.kind !== "checked") return loadList(context);
  const { list, bytes, names, isForReading } = followed;
  const member = findSelf(list, context, await heads.findFormerKeys(personId));
  if (member === undefined) return loadList(context);
  if (!isOther && (isForReading || isVouchedBy(list, own.signingKey))) return loaded;
  const change: Change = {
    change: "replace",
    member: { ...member, recipient: own.recipient, signingKey: own.signingKey },
  };
  const signed = await keyAgent.signEntry({
    organizationId,
    list: { organizationId, bytes, names, head: list.head },
    change,
    signerId: member.id,
    ...(isOther && member.signingKey !== null && { formerSigningKey: member.signingKey }),
  });
  if (signed instanceof RefusalError) {
    if (signed.reason === "not_signed") return { kind: "no_former_key" };
    throw signed;
  }
  // The new key signs in the same request: without that, a browser that has seen nothing could trust the list by nothing.
  const vouched =
    isOther &&
    !isForReading &&
    (await keyAgent.signEntry({
      ...{
        organizationId,
        change: toVouch(claimed.filter((row) => isToClaim(list, member, row))) ?? change,
        signerId: member.id,
      },
      list: await listAfter({ list, bytes, names }, organizationId, signed),
    }));
  try {
    await api.addEntry(signed, list.head, ...(vouched && "entry" in vouched ? [vouched] : []));
  } catch (error) {
    // Somebody else has added an entry meanwhile.
    if (!(error instanceof ApiError && error.status === 412) || tries <= 1) throw error;
  }
  return signOver(context, claimed, tries - 1);
}

function isToClaim(list: VerifiedList, self: Member, row: StandingRow): boolean {
  return row.member.id !== self.id && isAsShown(list, row) && mayChange(self, row.member, row.member);
}
