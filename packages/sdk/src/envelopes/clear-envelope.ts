import { type EnvelopeVersion, findHead, findNewestEnvelope, firstVersionOf, keptReaders } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { findBringable } from "./bring-back.ts";
import { bringable, mayFollow } from "./bringable.ts";
import { followFormKeyLog } from "./continue-key-log.ts";
import type { EnvelopeClient, SealingList, StoredRevision } from "./envelope-client.ts";
import { findHeldKeys, nameFollowedLog } from "./held-key.ts";
import { type OpenedEnvelope, openForm } from "./open-form.ts";
import { hashOf, sealRevision, storeRevision, toSealing } from "./store-envelope.ts";

/** An envelope of which nothing opens, and nothing was seen: what is above it is taken from owners alone until an owner writes its next revision. */
export interface Clearable {
  readonly formId: FormId;
  readonly firstVersion: number;
  readonly newest: StoredRevision & EnvelopeVersion;
  /** The form's last envelope that opens. */
  readonly earlier?: OpenedEnvelope;
  /** Ids of the next revision's readers, without recovery keys: the readers of `earlier`. */
  readonly readerIds: readonly string[];
  /** Published versions that have their place in it: their keys are in no envelope. */
  readonly missing: readonly number[];
}

/** For owners; `undefined` where something opens or can be brought back, or the refusal is not of what its writer has made. */
export async function findClearable(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  firstVersion: number,
): Promise<Clearable | undefined> {
  const { api, heads } = client;
  if (list.own.role !== "owner") return undefined;
  if (findHead((await heads.findEnvelopes(formId)).heads, firstVersion) !== undefined) return undefined;
  const opened = await openForm(client, { formId, loadList: () => client.loadList(), known: list });
  if (opened.kind !== "opened") return undefined;
  const isThis = (one: { readonly firstVersion: number }) => one.firstVersion === firstVersion;
  const refused = opened.refused.find(isThis);
  if (refused === undefined || opened.forReading.some(isThis) || !bringable.includes(refused.reason)) return undefined;
  if ((await findBringable(client, list, formId, firstVersion)) !== undefined) return undefined;
  const stored = await api.findNewest(formId, firstVersion);
  const shown = stored && (await api.fetchEnvelope(formId, firstVersion, stored.revision));
  if (stored === undefined || shown === undefined || !mayFollow(stored, undefined)) return undefined;
  const newest = { revision: stored.revision, createdAt: stored.createdAt, hash: await hashOf(shown.file) };
  const earlier = findNewestEnvelope(opened.envelopes.filter(({ isDoubtful }) => !isDoubtful));
  const readerIds = [...keptReaders(toSealing(list), earlier)];
  const versions = (await api.fetchKeys(formId)).map(({ version }) => version);
  const missing = versions.filter((version) => firstVersionOf(version) === firstVersion);
  return { formId, firstVersion, newest, ...(earlier && { earlier }), readerIds, missing };
}

/** Writes the revision that follows the server's newest, without a key, and reads it back. The next rotation puts its key there. */
export async function clearEnvelope(
  client: EnvelopeClient,
  list: SealingList,
  { formId, firstVersion, newest, earlier, readerIds }: Clearable,
): Promise<OpenedEnvelope> {
  const before = { keyLog: earlier?.head.keyLog ?? null };
  const followed = await followFormKeyLog(client, formId, before.keyLog);
  const { keyLog } = nameFollowedLog(before, followed, list, findHeldKeys(earlier ? [earlier] : []));
  const known = earlier && { formName: earlier.formName, earlier: { file: earlier.file, head: earlier.head } };
  const parts = { readers: readerIds, keyLog, firstVersion, after: newest, ...known };
  return storeRevision(client, list, await sealRevision(client, list, formId, [], undefined, parts), newest);
}
