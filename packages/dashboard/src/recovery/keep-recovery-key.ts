import { type Change, RefusalError, type SignedEntry, type SigningKeys, verifyList } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import { type EntryToSign, listAfter, signEntry, toListToCheck } from "@sealpost/sdk/envelopes";
import { createId } from "@sealpost/wire";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { type FoundList, findOrFoundList } from "../envelopes/found-list.ts";
import type { CheckedList } from "../envelopes/load-list.ts";

export type KeptRecoveryKey =
  | { readonly kind: "kept"; readonly list: CheckedList }
  | { readonly kind: "list"; readonly list: Exclude<FoundList, CheckedList> };

/** For each entry: somebody else has changed the list meanwhile. */
const triesMax = 12;

/**
 * Puts a recovery key into the list of members, has it sign there once, which fixes the list for devices that have nothing but the paper, and
 * takes those that it replaces out. The first two entries go in one request; begun again, it continues where it was.
 */
export async function keepRecoveryKey(
  context: EnvelopeContext,
  key: SigningKeys,
  name: string,
  replaced: readonly string[],
): Promise<KeptRecoveryKey> {
  for (let tries = 1; ; tries++) {
    const list = await findOrFoundList(context);
    if (list.kind !== "checked") return { kind: "list", list };
    const next = await findNext(context, list, key, name, replaced);
    if (next === undefined) return { kind: "kept", list };
    const entry = { organizationId: context.organizationId, list: toListToCheck(list), ...next.entry };
    const signed = await (next.isByRecovery ? signEntry(key, entry) : context.keyAgent.signEntry(entry));
    if (signed instanceof RefusalError) throw signed;
    const vouched = next.recoveryKeyId === undefined ? [] : await vouch(context, list, key, next.recoveryKeyId, signed);
    try {
      await context.api.addEntry(signed, list.list.head, ...vouched);
    } catch (error) {
      if (!(error instanceof ApiError && error.status === 412) || tries === triesMax) throw error;
    }
  }
}

interface NextEntry {
  readonly isByRecovery: boolean;
  readonly entry: Pick<EntryToSign, "change" | "signerId">;
  /** The recovery key that it adds, which signs the entry after it. */
  readonly recoveryKeyId?: string;
}

/** The recovery key's own entry, which fixes all before it for devices that have nothing but the paper. */
async function vouch(
  { organizationId }: EnvelopeContext,
  list: CheckedList,
  key: SigningKeys,
  signerId: string,
  entry: SignedEntry,
): Promise<readonly [SignedEntry] | readonly []> {
  const after = await listAfter(list, organizationId, entry);
  const signed = await signEntry(key, {
    ...{ organizationId, list: after, signerId },
    change: { change: "replace", member: list.own },
  });
  return signed instanceof RefusalError ? [] : [signed];
}

async function findNext(
  { organizationId }: EnvelopeContext,
  { list, bytes, own }: CheckedList,
  { recipient, signingKey }: SigningKeys,
  name: string,
  replaced: readonly string[],
): Promise<NextEntry | undefined> {
  const kept = [...list.members.values()].find((member) => member.recipient === recipient);
  if (kept === undefined) {
    const member = { id: createId("account"), name, role: "recovery", recipient, signingKey } as const;
    return { ...byPerson(own.id, { change: "add", member }), recoveryKeyId: member.id };
  }
  const vouched = await verifyList(bytes, { organizationId, trust: { signingKey } });
  if (vouched instanceof RefusalError)
    return { isByRecovery: true, entry: { change: { change: "replace", member: own }, signerId: kept.id } };
  const former = replaced.find((id) => list.members.get(id)?.role === "recovery" && id !== kept.id);
  return former === undefined ? undefined : byPerson(own.id, { change: "remove", member: { id: former } });
}

function byPerson(signerId: string, change: Change): NextEntry {
  return { isByRecovery: false, entry: { change, signerId } };
}
