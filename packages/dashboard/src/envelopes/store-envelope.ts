import {
  type EnvelopeHead,
  type FormKey,
  findKeyLogHead,
  findNewestEnvelope,
  firstVersionOf,
  hasPlace,
  keptReaders,
  nameKeyLog,
  RefusalError,
} from "@sealpost/envelope";
import { ApiError, type OpeningKey } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import { orArrived } from "../api/attempt.ts";
import type { EnvelopeRefusal } from "../refusals.ts";
import type { EnvelopeContext, FormToCreate, Rotation } from "./context.ts";
import { beginKeyLog, continueKeyLog, followFormKeyLog } from "./continue-key-log.ts";
import type { EnvelopeToSeal, SealedEnvelope } from "./form-operations.ts";
import { type CheckedList, toListToCheck, toSealing } from "./load-list.ts";
import { compareKeys, type OpenedFormEnvelope, openOne } from "./open-form.ts";

/** An envelope that was sent. `unread`: it could not be read back, so the keys have to be kept in another way. */
export type StoredEnvelope =
  | { readonly kind: "read"; readonly envelope: OpenedFormEnvelope; readonly keys: readonly OpeningKey[] }
  | { readonly kind: "unread"; readonly reason: EnvelopeRefusal | "other_published_key" };

/** The next revision, by default for the person and those who read the one before; the first one for the person alone. */
export async function sealFor(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  keys: readonly FormKey[],
  previous?: OpenedFormEnvelope,
  { readers = keptReaders(toSealing(context, list), previous), ...others }: SealOptions = {},
): Promise<SealedEnvelope> {
  const sealed = await context.operations.sealEnvelope({
    list: toListToCheck(list),
    signerId: context.personId,
    confirmed: list.confirmed,
    formId,
    readerIds: [...readers],
    keys,
    ...others,
    ...(previous && { previous: { file: previous.file, head: previous.head } }),
  });
  if (sealed instanceof RefusalError) throw sealed;
  return sealed;
}

interface SealOptions extends Pick<EnvelopeToSeal, "formName" | "keyLog" | "confirmedIds"> {
  readonly readers?: ReadonlySet<string>;
}

/** Creates a form together with an envelope of its key and the first entry of its key log, and reads the envelope back. `keys` is what it has. */
export async function createFormWithEnvelope(
  context: EnvelopeContext,
  list: CheckedList,
  form: Omit<FormToCreate, "envelope" | "keyLogEntry">,
  key: FormKey,
): Promise<StoredEnvelope> {
  const { api } = context;
  const begun = await beginKeyLog(context, list, form.formId, key);
  const parts = { formName: form.name, keyLog: begun.head };
  const { file, head } = await sealFor(context, list, form.formId, [key], undefined, parts);
  const answered = await orArrived(
    () => api.createForm({ ...form, envelope: file, keyLogEntry: begun.entry }),
    () => api.hasForm(form.formId),
  );
  // The server may have another entry of an earlier try: that one is looked at as anybody's.
  if (answered) await context.heads.advanceKeyLog(form.formId, undefined, begun.head);
  return readBack(context, list, head, answered);
}

/** Puts keys of an existing form into envelopes: added to the one of the versions before, or as one of their own. */
export async function importKeys(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  keys: readonly FormKey[],
  envelopes: readonly OpenedFormEnvelope[],
  formName: string,
): Promise<readonly StoredEnvelope[]> {
  const stored: StoredEnvelope[] = [];
  const followed = await followFormKeyLog(context, formId);
  for (const { previous, added } of groupKeys(keys, envelopes)) {
    const { keyLog } = nameKeyLog(previous?.head ?? { keyLog: null }, followed, list.list, list.own);
    const named = { keyLog, formName: findNewestEnvelope(envelopes)?.formName ?? formName };
    const { file, head } = await sealFor(context, list, formId, added, previous, previous ? { keyLog } : named);
    await context.api.storeEnvelope(formId, head.firstVersion, file, previous?.head);
    stored.push(await readBack(context, list, head));
  }
  return stored;
}

/**
 * Rotates to a new key, which the next revision of the newest envelope has as well, or, where that one is full, another envelope for the same readers,
 * and reads that back. A key log gets its entry in the same request.
 */
export async function rotateWithEnvelope(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  rotation: Omit<Rotation, "envelope" | "previous" | "keyLogEntry">,
  { key, previous: newest }: { readonly key: FormKey; readonly previous: OpenedFormEnvelope },
): Promise<StoredEnvelope> {
  const { api } = context;
  const keyLogEntry = await continueKeyLog(context, list, formId, key, newest.head.keyLog);
  const previous = hasPlace(newest.head, key.version) ? newest : undefined;
  const readers = keptReaders(toSealing(context, list), newest);
  const keyLog = await findKeyLogHead(keyLogEntry, newest.head, list.own);
  const parts = { readers, keyLog, formName: newest.formName };
  const { file, head } = await sealFor(context, list, formId, [key], previous, parts);
  const sent = {
    ...rotation,
    envelope: file,
    ...(previous && { previous: previous.head }),
    ...(keyLogEntry !== undefined && { keyLogEntry }),
  };
  const answered = await orArrived(
    () => api.rotateKeys(formId, sent),
    async () => (await api.fetchKeys(formId)).some(({ fingerprint }) => fingerprint === key.fingerprint),
  );
  return readBack(context, list, head, answered);
}

/**
 * `isThis`: the server has taken this very file. Otherwise it may have one of an earlier try, with the same keys. A server that now refuses to
 * give it back has lost it: nobody lets go of the keys because of that answer.
 */
export async function readBack(
  context: EnvelopeContext,
  list: CheckedList,
  stored: EnvelopeHead,
  isThis = true,
): Promise<StoredEnvelope> {
  try {
    return await openAgain(context, list, stored, isThis);
  } catch (error) {
    if (error instanceof ApiError && error.status < 500) return { kind: "unread", reason: "lost_envelope" };
    throw error;
  }
}

async function openAgain(
  context: EnvelopeContext,
  list: CheckedList,
  stored: EnvelopeHead,
  isThis: boolean,
): Promise<StoredEnvelope> {
  const { formId } = stored;
  const envelope = await openOne(context, formId, list, stored.firstVersion, isThis ? stored : undefined);
  if ("reason" in envelope) return { kind: "unread", reason: envelope.reason };
  // An earlier try had the same key with a seed of its own.
  const hasKey = ({ fingerprint, seedHash }: EnvelopeHead["keys"][number]) =>
    envelope.head.keys.some((key) => key.fingerprint === fingerprint && (!isThis || key.seedHash === seedHash));
  if (!stored.keys.every(hasKey)) return { kind: "unread", reason: "lost_envelope" };
  const { keys, otherKeys } = await compareKeys(context, formId, [envelope]);
  return otherKeys.length > 0 ? { kind: "unread", reason: "other_published_key" } : { kind: "read", envelope, keys };
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
