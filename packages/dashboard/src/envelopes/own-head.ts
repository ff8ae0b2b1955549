import { type FirstTrust, type ListHead, RefusalError, verifySignedHead } from "@sealpost/envelope";
import type { EnvelopeApi, EnvelopeContext } from "./context.ts";

// The head of a list that a person signs with their own key (SPECIFICATION.md section 22): by it the next device of theirs, which has seen nothing, reads
// by the list, also where they have signed no entry.

export type OwnHeadContext = Pick<EnvelopeContext, "organizationId" | "personId" | "own" | "api" | "keyAgent">;

/** Who signs, in an organization. */
interface Signer extends Pick<OwnHeadContext, "organizationId"> {
  readonly own: Pick<OwnHeadContext["own"], "signingKey">;
}

interface FirstSight extends Signer {
  readonly heads: Pick<EnvelopeContext["heads"], "findList">;
  readonly api: Pick<EnvelopeApi, "fetchSignedHead">;
}

/**
 * The head that the person has signed on another device, where this browser has seen none. `undefined` where it has, or the server shows none; a refusal
 * where it shows something else.
 */
export async function findOwnHead(context: FirstSight): Promise<ListHead | RefusalError | undefined> {
  const { organizationId, heads, api } = context;
  if ((await heads.findList(organizationId)) !== undefined) return undefined;
  const signed = await api.fetchSignedHead(organizationId);
  return signed === undefined ? undefined : verify(context, signed);
}

/** By what the person's own key vouches for the list: entries that it has signed, in a list with the head that it has signed on another device. */
export async function findFirstTrust(context: FirstSight): Promise<FirstTrust | RefusalError> {
  const { signingKey } = context.own;
  const signedHead = await findOwnHead(context);
  if (signedHead instanceof RefusalError) return signedHead;
  return signedHead === undefined ? { signingKey } : { signedHead, signingKey };
}

function verify({ organizationId, own }: Signer, signedHead: string): Promise<ListHead | RefusalError> {
  return verifySignedHead(signedHead, { organizationId, signingKey: own.signingKey });
}

/** In each tab at most this often: a list grows by many entries at once, and the next time is soon enough. */
const pauseMilliseconds = 60_000;

interface Kept {
  /** The number of the entry that the head at the server names; `0` without one. */
  readonly number: number;
  /** When this tab last signed. */
  readonly signedAt: number;
}

/** Heads that are kept for each server, by organization and key. */
const keptBy = new WeakMap<EnvelopeApi, Map<string, Kept>>();

/**
 * Leaves the head of a list that this browser has verified for the next device, signed with the open key, unless the server has it, or a later one.
 * Nothing waits for it, and where it fails the next list is another occasion.
 */
export async function keepOwnHead(context: OwnHeadContext, list: ListHead, now: number = Date.now()): Promise<void> {
  const { organizationId, personId, own, api, keyAgent } = context;
  const kept = keptBy.get(api) ?? new Map<string, Kept>();
  keptBy.set(api, kept);
  const key = `${organizationId} ${personId} ${own.signingKey}`;
  const before = kept.get(key);
  if (before !== undefined && (before.number >= list.number || now - before.signedAt < pauseMilliseconds)) return;
  // Several lists are loaded at once when a page opens.
  kept.set(key, { number: list.number, signedAt: now });
  try {
    const number = before === undefined ? await findKept(context) : before.number;
    if (number >= list.number) return void kept.set(key, { number, signedAt: 0 });
    const signed = await keyAgent.signHead({ organizationId, list, signedBy: personId });
    if (signed instanceof RefusalError) throw signed;
    await api.storeSignedHead(organizationId, signed.signedHead);
  } catch {
    kept.set(key, { number: before?.number ?? 0, signedAt: now });
  }
}

/** The number of the head that the server has; `0` where it has none that the open key has signed. */
async function findKept(context: OwnHeadContext): Promise<number> {
  const signed = await context.api.fetchSignedHead(context.organizationId);
  const head = signed === undefined ? undefined : await verify(context, signed);
  return head === undefined || head instanceof RefusalError ? 0 : head.number;
}
