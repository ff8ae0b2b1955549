import { type EnvelopeVersion, findHead, firstVersionOf } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { findBringable } from "./bring-back.ts";
import { bringable, isReplaceable, mayFollow, type NotUsed, toRefusal } from "./bringable.ts";
import type { EnvelopeClient, SealingList, StoredRevision } from "./envelope-client.ts";
import { EnvelopeProblemError } from "./envelope-problem.ts";
import { type SearchOptions, walkRevisions } from "./search-revisions.ts";
import { hashOf } from "./store-envelope.ts";

/** The keys of an envelope of which nothing opens here, and nothing was seen: its next revision is without them. */
export interface LostKeys {
  readonly formId: FormId;
  readonly firstVersion: number;
  /** Why its newest revision is refused. */
  readonly reason: NotUsed["reason"];
  readonly newest: StoredRevision & EnvelopeVersion;
  /** Published versions that have their place in it: what visitors have sealed to them opens by no envelope afterwards. */
  readonly missing: readonly number[];
  /** Ids of those who have stored its revisions, by the service's word: they may have a device on which it opens. */
  readonly writerIds: readonly string[];
}

/** A rotation would leave behind the keys of an envelope, and nobody has said that they may be lost. */
export class LostKeysError extends EnvelopeProblemError {
  readonly lost: LostKeys;

  constructor(lost: LostKeys) {
    super("lost_keys");
    this.lost = lost;
  }
}

/** `undefined` where something can be brought back, or was seen here, or the refusal is not of what its writer has made. */
export async function findLostKeys(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  { firstVersion, reason }: Pick<NotUsed, "firstVersion" | "reason">,
  options?: SearchOptions,
): Promise<LostKeys | undefined> {
  const { api, heads } = client;
  if (!bringable.includes(reason)) return undefined;
  if (findHead((await heads.findEnvelopes(formId)).heads, firstVersion) !== undefined) return undefined;
  if ((await findBringable(client, list, formId, firstVersion, options)) !== undefined) return undefined;
  const stored = await api.findNewest(formId, firstVersion);
  const shown = stored && (await api.fetchEnvelope(formId, firstVersion, stored.revision));
  if (stored === undefined || shown === undefined || !mayFollow(stored, undefined)) return undefined;
  const { revision, createdAt } = stored;
  const newest = { revision, createdAt, hash: await hashOf(shown.file) };
  const published = (await api.fetchKeys(formId)).map(({ version }) => version);
  const missing = published.filter((version) => firstVersionOf(version) === firstVersion);
  const writerIds = new Set<string>();
  for await (const { writerId } of walkRevisions(api, formId, firstVersion)) writerIds.add(writerId);
  return { formId, firstVersion, reason, newest, missing, writerIds: [...writerIds] };
}

/**
 * What a rotation to this version loses: the version has its place in an envelope of which nothing opens. `undefined`: it loses nothing. Asks `confirmLoss`, which
 * ends the rotation by what it throws; without it the rotation ends with a `LostKeysError`.
 */
export async function confirmLost(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  { version, refused, ...options }: SearchOptions & { readonly version: number; readonly refused: readonly NotUsed[] },
  confirmLoss?: (lost: LostKeys) => Promise<void>,
): Promise<LostKeys | undefined> {
  const one = refused.find(({ firstVersion }) => firstVersion === firstVersionOf(version));
  if (one === undefined) return undefined;
  const lost = isReplaceable(one) ? await findLostKeys(client, list, formId, one, options) : undefined;
  if (lost === undefined) throw toRefusal(one);
  if (confirmLoss === undefined) throw new LostKeysError(lost);
  await confirmLoss(lost);
  return lost;
}
