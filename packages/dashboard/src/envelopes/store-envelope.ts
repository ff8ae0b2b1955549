import { type FormKey, findNewestEnvelope, firstVersionOf, keptReaders, mayReplace } from "@sealpost/envelope";
import {
  createFormWithEnvelope as createOf,
  findHeldKeys,
  findReaderIds,
  followFormKeyLog,
  nameFollowedLog,
  OvertakenError,
  readBack,
  requireListed,
  rotateWithEnvelope as rotateOf,
  type StoredEnvelope,
  sealRevision,
  toHeldKey,
  toSealing,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { text } from "../texts/text.ts";
import { compareBrought, KeyNotPutInError } from "./compare-brought.ts";
import type { EnvelopeContext } from "./context.ts";
import { explainKeyLog } from "./continue-key-log.ts";
import type { CheckedList } from "./load-list.ts";
import type { OpenedFormEnvelope } from "./open-form.ts";

const { envelopes: texts } = text;

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
  return groupKeys(keys, envelopes).map(({ previous, earlier, added }) => ({
    versions: added.map(({ version }) => version).sort((one, other) => one - other),
    readerIds: findReaderIds(list, previous ?? earlier),
  }));
}

/**
 * Puts keys of an existing form into envelopes: added to the one in which the version has its place, or as one that begins for the readers of the nearest. `shown`: of
 * `findImportReaders`, as the person has seen it; it has to be there where the form has envelopes. Rejects with an `OvertakenError`, and sends nothing, where
 * others would read, and with a `KeyNotPutInError` where nobody can say who would, or a key or its seed is not the form's.
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
  const groups = groupKeys(keys, envelopes);
  await requireNearest(context, formId, groups, envelopes);
  await compareBrought(
    context,
    formId,
    groups.flatMap(({ added }) => added),
  );
  const stored: StoredEnvelope[] = [];
  const followed = await followFormKeyLog(context, formId);
  const brought = await Promise.all(keys.map((key) => toHeldKey(formId, key)));
  const held = [...findHeldKeys(envelopes), ...brought];
  for (const { previous, earlier, added } of groups) {
    const before = previous ?? earlier;
    if (before !== undefined) requireListed(before);
    const { keyLog } = nameFollowedLog(before?.head ?? { keyLog: null }, followed, list, held);
    const begun = {
      formName: findNewestEnvelope(envelopes)?.formName ?? formName,
      readers: keptReaders(toSealing(list), earlier),
      ...(earlier && { earlier: { file: earlier.file, head: earlier.head } }),
    };
    const { file, head } = await sealRevision(context, list, formId, added, previous, {
      keyLog,
      ...(previous === undefined && begun),
    });
    await context.api.storeEnvelope(formId, head.firstVersion, file, previous?.head);
    const one = await readBack(context, list, head);
    stored.push(one);
    // Nobody knows who reads what would be above it.
    if (one.kind === "unread") break;
  }
  return stored;
}

/**
 * Throws where an envelope from which the readers are taken is not among those that opened: refused, seen and not shown, or begun since. One that was begun ahead of its
 * time is no part of the form.
 */
async function requireNearest(
  { api, heads }: EnvelopeContext,
  formId: FormId,
  groups: readonly KeyGroup[],
  envelopes: readonly OpenedFormEnvelope[],
): Promise<void> {
  const [listed, seen, published] = await Promise.all([
    api.listEnvelopes(formId),
    heads.findEnvelopes(formId),
    api.fetchKeys(formId),
  ]);
  const newest = published.reduce((highest, { version }) => Math.max(highest, version), 0);
  const expected = seen.isRemoved ? [] : seen.heads.map((head) => head.firstVersion);
  const all = [...listed, ...expected].filter((version) => version <= newest);
  for (const { firstVersion } of groups) {
    const nearest = findNearest(all, firstVersion);
    if (nearest !== undefined && envelopes.every((envelope) => envelope.firstVersion !== nearest))
      throw new KeyNotPutInError(texts.bring.notOpen(nearest));
  }
}

interface KeyGroup {
  readonly firstVersion: number;
  /** The envelope in which they have their place. */
  readonly previous?: OpenedFormEnvelope;
  /** Where that is yet to begin, the nearest one, for whose readers it is. */
  readonly earlier?: OpenedFormEnvelope;
  readonly added: readonly FormKey[];
}

/** Whether the envelopes have a key already, and all of it that is the form's. */
export function isHeldIn(
  envelopes: readonly Pick<OpenedFormEnvelope, "head">[],
  key: Pick<FormKey, "version" | "fingerprint" | "hybridFingerprint">,
): boolean {
  const seen = envelopes.flatMap(({ head }) => head.keys);
  return seen.some((one) => one.version === key.version && !mayReplace(key, one));
}

/** Each version has its place in one envelope. A key that was never published is in nobody's way, nor is a hybrid key or a seed that is not the form's. */
function groupKeys(keys: readonly FormKey[], envelopes: readonly OpenedFormEnvelope[]): readonly KeyGroup[] {
  const added = keys.filter((key) => !isHeldIn(envelopes, key));
  const groups = [...Map.groupBy(added, ({ version }) => firstVersionOf(version))];
  const opened = new Map(envelopes.map((envelope) => [envelope.firstVersion, envelope]));
  return groups
    .sort(([one], [other]) => one - other)
    .map(([firstVersion, ofEnvelope]) => {
      const nearest = opened.get(findNearest([...opened.keys()], firstVersion) ?? 0);
      const isOwn = nearest?.firstVersion === firstVersion;
      return {
        firstVersion,
        added: ofEnvelope,
        ...(nearest && (isOwn ? { previous: nearest } : { earlier: nearest })),
      };
    });
}

/** The envelope with this first version. If there is none: the closest one below it, else the closest one above it. */
function findNearest(firstVersions: readonly number[], firstVersion: number): number | undefined {
  const ascending = firstVersions.toSorted((one, other) => one - other);
  return ascending.findLast((one) => one <= firstVersion) ?? ascending[0];
}
