import {
  type Member,
  type NewMember,
  RefusalError,
  type SigningKeys,
  type VerifiedList,
  verifyList,
} from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { signEntry } from "@sealpost/sdk/envelopes";
import type { Bytes } from "../envelopes/bytes.ts";
import { changeList } from "../envelopes/change-list.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { findSelf } from "../envelopes/find-self.ts";
import { toListName } from "../envelopes/found-list.ts";
import { type LoadedList, loadList } from "../envelopes/load-list.ts";
import { findOwnHead } from "../envelopes/own-head.ts";
import type { RecoveryRefusal } from "../refusals.ts";

export interface RecoveryCheck {
  readonly kind: "ready";
  readonly list: VerifiedList;
  readonly bytes: Bytes;
  readonly names: Bytes;
  /** The recovery key in the list. */
  readonly recovery: Member;
  /** The person as the list has them, with keys that may be lost. */
  readonly before: Member | undefined;
  /** They are an owner with the key that is open: only the forms are left to do. */
  readonly isOwner: boolean;
  /** This browser has seen no list of the organization: what followed the recovery key's entry may be somebody's who has left, and helps the server. */
  readonly isFirstSight: boolean;
}

/**
 * Whether the list may be continued with a recovery key: it continues what this browser has seen, and has an entry that the recovery key has signed,
 * which no server can make up, and nobody who was removed before it.
 */
export async function checkRecovery(
  context: EnvelopeContext,
  key: SigningKeys,
): Promise<RecoveryCheck | { readonly kind: "refused"; readonly reason: RecoveryRefusal }> {
  const { organizationId, personId, heads, api, own } = context;
  const seen = await heads.findList(organizationId);
  const head = seen ?? (await findOwnHead(context));
  if (head instanceof RefusalError) return refuse("wrong_head");
  const bytes = await api.fetchList();
  const names = (await api.fetchNames()) ?? new Uint8Array();
  if (bytes === undefined) return refuse(head === undefined ? "no_list" : "hidden_list");
  const trust = head === undefined ? { signingKey: key.signingKey } : { head };
  const list = await verifyList(bytes, { organizationId, trust, names });
  if (list instanceof RefusalError) return refuse(list.reason);
  const recovery = [...list.members.values()].find(({ recipient }) => recipient === key.recipient);
  if (recovery?.role !== "recovery") return refuse("foreign");
  if (recovery.signingKey === null) return refuse("reads_only");
  if (recovery.signingKey !== key.signingKey) return refuse("foreign");
  // A head alone may be older than the removal of an owner, who can continue the list from there.
  const vouched = await verifyList(bytes, { organizationId, trust: { signingKey: key.signingKey } });
  if (vouched instanceof RefusalError) return refuse(vouched.reason);
  if (!(await heads.advanceList(organizationId, seen, list.head))) return checkRecovery(context, key);
  const before = findSelf(list, context, await heads.findFormerKeys(personId));
  const isSame = before?.recipient === own.recipient && before.signingKey === own.signingKey;
  return {
    kind: "ready",
    list,
    bytes,
    names,
    recovery,
    before,
    isOwner: isSame && before?.role === "owner",
    isFirstSight: head === undefined,
  };
}

function refuse(reason: RecoveryRefusal) {
  return { kind: "refused", reason } as const;
}

/** Makes the person an owner of the list with the key that is open, signed with the recovery key, for which they then vouch, and reads the list back. */
export async function becomeOwner(
  context: EnvelopeContext,
  key: SigningKeys,
  check: RecoveryCheck,
): Promise<LoadedList> {
  const { organizationId, personId, personName, own, heads } = context;
  const { recovery, before, list } = check;
  // Its own paper has signed in this organization's list: no server can show another one, and nobody has to be asked.
  const { organizationName = "" } = list;
  await heads.organizationsOf(personId).accept(organizationId, organizationName === "" ? [] : [organizationName]);
  // A name that is missing stays the one that the list commits to.
  const name = before === undefined ? toListName(personName) : before.name;
  const member: NewMember = { id: before?.id ?? personId, name, role: "owner", ...own };
  try {
    await enterOwner(context, key, check, member);
  } catch (error) {
    if (!(error instanceof ApiError && error.status === 412)) throw error;
    // Somebody else was faster, or it was this very entry, whose answer got lost.
    const again = await checkRecovery(context, key);
    if (again.kind === "ready" && !again.isOwner) return becomeOwner(context, key, again);
  }
  return vouchForSheets(context, recovery);
}

async function enterOwner(
  { organizationId, api }: EnvelopeContext,
  key: SigningKeys,
  { list, bytes, names, recovery, before }: RecoveryCheck,
  member: NewMember,
): Promise<void> {
  const signed = await signEntry(key, {
    organizationId,
    list: { organizationId, bytes, names, head: list.head },
    change: { change: before === undefined ? "add" : "replace", member },
    signerId: recovery.id,
  });
  if (signed instanceof RefusalError) throw signed;
  await api.addEntry(signed, list.head);
}

/** Nobody vouches for the recovery key since the key that brought it in was replaced. Who typed its sheets does: every envelope is for it. */
async function vouchForSheets(context: EnvelopeContext, { id, recipient }: Member): Promise<LoadedList> {
  const list = await loadList(context);
  if (list.kind !== "checked") return list;
  return changeList(context, ({ list: { members, head }, sealable }) =>
    members.get(id)?.recipient === recipient && !sealable.has(id)
      ? { change: "vouch", members: [id], shown: head.number }
      : undefined,
  );
}

/** The same person, for whom the recovery key opens envelopes that their own key does not open, and signs for key logs that do not name it. */
export function withRecoveryKey(
  context: EnvelopeContext,
  { identity: openWith, signingKey, signingSeed }: Pick<SigningKeys, "identity" | "signingKey" | "signingSeed">,
): EnvelopeContext {
  const { keyAgent } = context;
  return {
    ...context,
    keyAgent: {
      ...keyAgent,
      openEnvelope: (request) => keyAgent.openEnvelope({ ...request, openWith }),
      readSigned: (request) => keyAgent.readSigned({ ...request, openWith }),
      sealEnvelope: (request) => keyAgent.sealEnvelope({ ...request, openWith }),
      signKeyLogEntry: (entry) => keyAgent.signKeyLogEntry({ ...entry, signWith: { signingKey, signingSeed } }),
    },
  };
}
