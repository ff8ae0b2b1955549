import { findNewestEnvelope, keptReaders } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { followFormKeyLog } from "./continue-key-log.ts";
import type { EnvelopeClient, SealingList } from "./envelope-client.ts";
import { findHeldKeys, nameFollowedLog } from "./held-key.ts";
import { findLostKeys, type LostEnvelope } from "./lost-keys.ts";
import { type OpenedEnvelope, openForm } from "./open-form.ts";
import type { SearchOptions } from "./search-revisions.ts";
import { sealRevision, storeRevision, toSealing } from "./store-envelope.ts";

/** An envelope of which nothing opens, and nothing was seen: what is above it is taken from owners alone until an owner writes its next revision. */
export interface Clearable extends LostEnvelope {
  /** The form's last envelope that opens. */
  readonly earlier?: OpenedEnvelope;
  /** Ids of the next revision's readers, without recovery keys: the readers of `earlier`. */
  readonly readerIds: readonly string[];
}

/** For owners; `undefined` where something opens or can be brought back, or the refusal is not of what its writer has made. */
export async function findClearable(
  client: EnvelopeClient,
  list: SealingList,
  formId: FormId,
  firstVersion: number,
  options?: SearchOptions,
): Promise<Clearable | undefined> {
  if (list.own.role !== "owner") return undefined;
  const opened = await openForm(client, { formId, loadList: () => client.loadList(), known: list });
  if (opened.kind !== "opened") return undefined;
  const isThis = (one: { readonly firstVersion: number }) => one.firstVersion === firstVersion;
  const refused = opened.refused.find(isThis);
  if (refused === undefined || opened.forReading.some(isThis)) return undefined;
  const lost = await findLostKeys(client, list, formId, refused, options);
  if (lost === undefined) return undefined;
  const earlier = findNewestEnvelope(opened.envelopes);
  return { ...lost, ...(earlier && { earlier }), readerIds: [...keptReaders(toSealing(list), earlier)] };
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
