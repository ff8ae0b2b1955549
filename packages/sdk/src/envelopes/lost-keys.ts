import {
  type EnvelopeHead,
  type EnvelopeVersion,
  findHead,
  findRotatedEnvelope,
  firstVersionOf,
  hasPlace,
} from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { findBringable } from "./bring-back.ts";
import { bringable, isReplaceable, mayFollow, type NotUsed, toRefusal } from "./bringable.ts";
import type { EnvelopeClient, SealingList, StoredRevision } from "./envelope-client.ts";
import { EnvelopeProblemError, OvertakenError } from "./envelope-problem.ts";
import { type OpenedEnvelope, openForm } from "./open-form.ts";
import { type SearchOptions, walkRevisions } from "./search-revisions.ts";
import { findShown, type ShownRotation } from "./shown-rotation.ts";
import { findBegunAhead, hashOf, isSameBase } from "./store-envelope.ts";

/** The keys of an envelope of which nothing opens here, and nothing was seen, or that was begun ahead of its time: its next revision is without them. */
export interface LostEnvelope {
  readonly formId: FormId;
  readonly firstVersion: number;
  /** Why its newest revision is refused. */
  readonly reason: NotUsed["reason"];
  readonly newest: StoredRevision & EnvelopeVersion;
  /** It opens, and no version that the service lists has reached it: somebody has begun it ahead of its time, or the service denies its keys. */
  readonly isBegunAhead?: true;
  /** Versions whose keys the rotation drops: the published ones of this envelope, or those that it has ahead of their time. No envelope opens what visitors sealed to them afterwards. */
  readonly missing: readonly number[];
  /** Ids of those who have stored its revisions, by the service's word: they may have a device on which it opens. */
  readonly writerIds: readonly string[];
}

/** Keys that a rotation loses, who reads with the new key, and who no longer does. */
export interface LostKeys extends ShownRotation {
  readonly formId: FormId;
  /** The envelope that the new version belongs to, if no revision of it opens, or it was begun ahead of its time. */
  readonly envelope?: LostEnvelope;
  /**
   * Versions that the form's key log, or the service's list, names above the newest of its own whose key is open here: the service may hide the newest revision, and
   * it may be from after somebody was taken out of the readers.
   */
  readonly newer: readonly number[];
  /** Every version that is lost, ascending: those of `envelope` and `newer`. */
  readonly missing: readonly number[];
}

/** A rotation would drop keys, and nobody has said that they may be lost. */
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
): Promise<LostEnvelope | undefined> {
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
  return {
    formId,
    firstVersion,
    reason,
    newest,
    missing,
    writerIds: await findWriterIds(client, formId, firstVersion),
  };
}

async function findWriterIds({ api }: EnvelopeClient, formId: FormId, firstVersion: number) {
  const ids = new Set<string>();
  for await (const { writerId } of walkRevisions(api, formId, firstVersion)) ids.add(writerId);
  return [...ids];
}

/** An envelope that was begun ahead of its time with keys that open here, as one whose keys are lost by a rotation that gets there. */
async function findLostAhead(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  firstVersion: number,
): Promise<LostEnvelope | undefined> {
  const begun = await findBegunAhead(client, list, formId, firstVersion);
  if (begun === undefined || begun.versions.length === 0) return undefined;
  const { versions: missing, revision, hash } = begun;
  const stored = await client.api.findNewest(formId, firstVersion);
  if (stored?.revision !== revision) throw new OvertakenError();
  const newest = { revision, hash, createdAt: stored.createdAt };
  const writerIds = await findWriterIds(client, formId, firstVersion);
  return { formId, firstVersion, reason: "not_allowed", isBegunAhead: true, newest, missing, writerIds };
}

interface NamedKey {
  readonly version: number;
  readonly fingerprint: string;
}

/** Keys that the service's list names, and the form's key log, where that counts. */
export interface NamedKeys {
  readonly listed: readonly NamedKey[];
  readonly logged: readonly NamedKey[];
}

interface RotationToConfirm extends SearchOptions {
  /** Both from `findVersion`, which asks for them after the envelopes were opened. */
  readonly version: number;
  readonly named: NamedKeys;
}

/** A form as it was opened before the rotation. */
export interface FormToRotate {
  readonly list: SealingList;
  readonly envelopes: readonly OpenedEnvelope[];
  readonly refused: readonly NotUsed[];
}

/** Each gets what is to be shown before a rotation is signed, and ends it by what it throws. */
export interface ConfirmRotation {
  /** Not called where keys would be lost: `confirmLoss` gets the readers as well. */
  readonly confirmReaders?: ((shown: ShownRotation) => Promise<void>) | undefined;
  /** Without it such a rotation ends with a `LostKeysError`. */
  readonly confirmLoss?: ((lost: LostKeys) => Promise<void>) | undefined;
}

/**
 * Who gets the key of a rotation to this version, and whom it leaves out, for `rotateWithEnvelope`; with the keys that it leaves behind, if there are any: those of the envelope
 * in which the version has its place, where nothing of that opens or it was begun ahead of its time, and versions that are newer than those that are open here. Rejects with an `OvertakenError` where what
 * was opened is not what the service has by now.
 */
export async function confirmRotation(
  client: EnvelopeClient,
  form: FormToRotate,
  formId: FormId,
  { version, named, ...options }: RotationToConfirm,
  { confirmReaders, confirmLoss }: ConfirmRotation,
): Promise<ShownRotation | LostKeys> {
  const { list, envelopes, refused } = form;
  const one = refused.find(({ firstVersion }) => firstVersion === firstVersionOf(version));
  const refusedOne = one && isReplaceable(one) ? await findLostKeys(client, list, formId, one, options) : undefined;
  if (one !== undefined && refusedOne === undefined) throw toRefusal(one);
  const newer = findNewer(envelopes, named);
  // A colleague may have rotated since, and no envelope that was opened before has that key.
  if (newer.length > 0) await requireCurrent(client, form, formId);
  const previous = findRotatedEnvelope(envelopes, version);
  if (previous === undefined) throw new EnvelopeProblemError("no_envelope");
  const isNew = one === undefined && !hasPlace(previous.head, version);
  const ahead = isNew ? await findLostAhead(client, list, formId, firstVersionOf(version)) : undefined;
  const envelope = refusedOne ?? ahead;
  const shown = findShown(list, previous, envelopes);
  if (envelope === undefined && newer.length === 0) {
    await confirmReaders?.(shown);
    return shown;
  }
  const lost: LostKeys = {
    formId,
    ...(envelope && { envelope }),
    newer,
    missing: toAscending([...(envelope?.missing ?? []), ...newer]),
    ...shown,
  };
  if (confirmLoss === undefined) throw new LostKeysError(lost);
  await confirmLoss(lost);
  return lost;
}

/** Whether an answer about one is an answer about the other. */
export function isSameLoss(one: LostKeys, other: LostKeys): boolean {
  const toText = ({ formId, envelope, newer, missing }: LostKeys) =>
    JSON.stringify([formId, envelope?.newest.hash ?? null, newer, missing]);
  return toText(one) === toText(other) && isSameBase(one, other);
}

/**
 * Versions that the log, or the list, names above the newest of its own whose key, the very one, is open here. Each of the two is looked at alone: anybody who reads the form
 * can put a key into the envelope, and the service can list it, so a version of the list hides none of the log's.
 */
function findNewer(
  envelopes: readonly { readonly head: EnvelopeHead }[],
  { listed, logged }: NamedKeys,
): readonly number[] {
  const open = envelopes.flatMap(({ head }) => head.keys);
  const isOpen = ({ version, fingerprint }: NamedKey) =>
    open.some((key) => key.version === version && key.fingerprint === fingerprint);
  const newer = [listed, logged].flatMap((named) => {
    const newest = named.filter(isOpen).reduce((highest, { version }) => Math.max(highest, version), 0);
    return named.filter(({ version }) => version > newest).map(({ version }) => version);
  });
  return toAscending(newer);
}

function toAscending(versions: readonly number[]): readonly number[] {
  return [...new Set(versions)].sort((one, other) => one - other);
}

async function requireCurrent(client: EnvelopeClient, form: FormToRotate, formId: FormId): Promise<void> {
  const again = await openForm(client, { formId, loadList: () => client.loadList() });
  const toText = ({ envelopes, refused }: Pick<FormToRotate, "envelopes" | "refused">) =>
    JSON.stringify([
      envelopes.map(({ head }) => [head.firstVersion, head.revision, head.hash]),
      refused.map(({ firstVersion, reason }) => [firstVersion, reason]),
    ]);
  if (again.kind !== "opened" || toText(again) !== toText(form)) throw new OvertakenError();
}
