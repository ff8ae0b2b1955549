import { type FormKey, findNewestEnvelope, firstVersionOf } from "@sealpost/envelope";
import {
  createFormWithEnvelope as createOf,
  findHeldKeys,
  findReaderIds,
  followFormKeyLog,
  nameFollowedLog,
  OvertakenError,
  readBack,
  rotateWithEnvelope as rotateOf,
  type StoredEnvelope,
  sealRevision,
  toHeldKey,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import { explainKeyLog } from "./continue-key-log.ts";
import type { CheckedList } from "./load-list.ts";
import type { OpenedFormEnvelope } from "./open-form.ts";

/** As that of the envelope client, with a sentence about what is wrong with the key log. */
export function createFormWithEnvelope(
  context: EnvelopeContext,
  list: CheckedList,
  form: Parameters<typeof createOf>[2],
  key: FormKey,
): Promise<StoredEnvelope> {
  return explainKeyLog(createOf(context, list, form, key), key.version);
}

/** As that of the envelope client, with a sentence about what is wrong with the key log. */
export function rotateWithEnvelope(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  rotation: Parameters<typeof rotateOf>[3],
  parts: Parameters<typeof rotateOf>[4],
): Promise<StoredEnvelope> {
  return explainKeyLog(rotateOf(context, list, formId, rotation, parts), parts.key.version);
}

/** Keys that are put into one envelope, and ids of everybody who reads with them afterwards, recovery keys included. */
export interface ImportedFor {
  readonly versions: readonly number[];
  readonly readerIds: readonly string[];
}

/** Who will read each of these keys once `importKeys` has sealed them. The server may have shown a revision from before somebody was taken out. */
export function findImportReaders(
  list: CheckedList,
  keys: readonly FormKey[],
  envelopes: readonly OpenedFormEnvelope[],
): readonly ImportedFor[] {
  return groupKeys(keys, envelopes).map(({ previous, added }) => ({
    versions: added.map(({ version }) => version).sort((one, other) => one - other),
    readerIds: findReaderIds(list, previous),
  }));
}

/**
 * Puts keys of an existing form into envelopes: added to the one of the versions before, or as one of their own. `shown`: of `findImportReaders`, as the person has
 * seen it; it has to be there where the form has envelopes. Rejects with an `OvertakenError`, and sends nothing, where others would read.
 */
export async function importKeys(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  keys: readonly FormKey[],
  envelopes: readonly OpenedFormEnvelope[],
  formName: string,
  shown?: readonly ImportedFor[],
): Promise<readonly StoredEnvelope[]> {
  const isShown = JSON.stringify(shown) === JSON.stringify(findImportReaders(list, keys, envelopes));
  if (envelopes.length > 0 && !isShown) throw new OvertakenError();
  const stored: StoredEnvelope[] = [];
  const followed = await followFormKeyLog(context, formId);
  const brought = await Promise.all(keys.map((key) => toHeldKey(formId, key)));
  const held = [...findHeldKeys(envelopes), ...brought];
  for (const { previous, added } of groupKeys(keys, envelopes)) {
    const { keyLog } = nameFollowedLog(previous?.head ?? { keyLog: null }, followed, list, held);
    const named = { keyLog, formName: findNewestEnvelope(envelopes)?.formName ?? formName };
    const { file, head } = await sealRevision(context, list, formId, added, previous, previous ? { keyLog } : named);
    await context.api.storeEnvelope(formId, head.firstVersion, file, previous?.head);
    stored.push(await readBack(context, list, head));
  }
  return stored;
}

interface KeyGroup {
  readonly previous?: OpenedFormEnvelope;
  readonly added: readonly FormKey[];
}

/** Each version has its place in one envelope. A key that was never published is in nobody's way. */
function groupKeys(keys: readonly FormKey[], envelopes: readonly OpenedFormEnvelope[]): readonly KeyGroup[] {
  const published = envelopes.flatMap(({ head }) => head.keys).filter(({ isPublished }) => isPublished);
  const held = new Set(published.map(({ version }) => version));
  const added = keys.filter(({ version }) => !held.has(version));
  return [...Map.groupBy(added, ({ version }) => firstVersionOf(version))].map(([firstVersion, ofEnvelope]) => {
    const previous = envelopes.find((envelope) => envelope.firstVersion === firstVersion);
    return { ...(previous && { previous }), added: ofEnvelope };
  });
}
