import { FarVersionError, findRotatedEnvelope } from "@sealpost/envelope";
import { ApiError } from "@sealpost/sdk";
import {
  confirmRotation,
  findStuck,
  findVersion,
  isSameBase,
  type LostKeys,
  LostKeysError,
  OvertakenError,
  type ShownRotation,
  type StoredEnvelope,
  type VersionToMake,
} from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { explainKeyLog, KeyLogError } from "../envelopes/continue-key-log.ts";
import { compareNames, type NamedForm } from "../envelopes/form-names.ts";
import type { CheckedList, LoadedList } from "../envelopes/load-list.ts";
import { type OpenedForm, openForm } from "../envelopes/open-form.ts";
import { rotateWithEnvelope } from "../envelopes/store-envelope.ts";
import { addEnvelopeKeys } from "../keys/keyring.ts";
import { makeKey, type NewKey, publicKeysOf } from "../keys/new-key.ts";
import { toFormKey } from "../keys/to-form-key.ts";
import type { EnvelopeRefusal } from "../refusals.ts";
import { prove } from "./make-form.ts";

type UnreadReason = Extract<StoredEnvelope, { kind: "unread" }>["reason"];
type RefusedReason = UnreadReason | EnvelopeRefusal;

/** Why a form is not rotated, or not from here. */
type NotRotated =
  | { readonly kind: "refused"; readonly reason: RefusedReason }
  | { readonly kind: "list"; readonly list: LoadedList }
  /** The person may not sign the entry of the form's key log, or there is something wrong with it. */
  | { readonly kind: "key_log"; readonly sentence: string }
  /** Its envelope signs another name than the one by which it was chosen. */
  | { readonly kind: "name"; readonly signed: string }
  /** The server's newest version could be made up. */
  | { readonly kind: "version"; readonly newest: number; readonly known: number }
  /** Keys of an envelope would be lost, those of these versions. */
  | { readonly kind: "lost_keys"; readonly missing: readonly number[] }
  | { readonly kind: "none" };

/** Who will read the form with its new key. */
export type LookedAtForm = { readonly kind: "shown"; readonly shown: ShownRotation } | NotRotated;

/**
 * `unread`: the form has a new key, whose envelope the server does not give back: it has to be saved as a file at once. `others`: nothing was sent, since others would
 * read by now, or there is another revision.
 */
export type RotatedForm =
  | { readonly kind: "rotated"; readonly keyVersion: number }
  | { readonly kind: "unread"; readonly newKey: NewKey; readonly reason: UnreadReason }
  | { readonly kind: "others"; readonly shown: ShownRotation }
  | NotRotated;

/** Opens a form, to show who will read with its new key before anything is made. */
export async function lookAtForm(context: EnvelopeContext, form: NamedForm): Promise<LookedAtForm> {
  const ready = await prepare(context, form);
  return ready.kind === "ready" ? { kind: "shown", shown: ready.shown } : ready;
}

/** Rotates a form with an envelope to a key of the same kinds, for the readers that were shown. */
export async function rotateForm(
  context: EnvelopeContext,
  form: NamedForm,
  shown: ShownRotation,
): Promise<RotatedForm> {
  const ready = await prepare(context, form);
  if (ready.kind !== "ready") return ready;
  if (!isSameBase(shown, ready.shown)) return { kind: "others", shown: ready.shown };
  try {
    return await rotateReady(context, form, ready);
  } catch (error) {
    const isLate = error instanceof OvertakenError || (error instanceof ApiError && error.status === 412);
    if (!isLate) throw error;
    // Somebody has written a revision in this moment.
    const now = await lookAtForm(context, form);
    return now.kind === "shown" ? { kind: "others", shown: now.shown } : now;
  }
}

interface ReadyForm {
  readonly kind: "ready";
  readonly opened: OpenedForm;
  readonly list: CheckedList;
  readonly found: VersionToMake;
  readonly shown: ShownRotation;
}

async function prepare(context: EnvelopeContext, { id, name }: NamedForm): Promise<ReadyForm | NotRotated> {
  const formId = id as FormId; // the server names no other
  const opened = await openForm(context, formId);
  if (opened.kind !== "opened") return opened;
  if (opened.list.kind !== "checked") return { kind: "list", list: opened.list };
  const { list } = opened;
  const refused = await findStuck(context, list, formId, opened.refused);
  if (refused !== undefined) return { kind: "refused", reason: refused.reason };
  const names = compareNames(opened, { id, name });
  if (names?.isSame === false) return { kind: "name", signed: names.signed };
  if (opened.otherKeys.length > 0) return { kind: "refused", reason: "other_published_key" };
  if (opened.envelopes.length === 0) return { kind: "none" };
  const found = await orKeyLogError(explainKeyLog(findVersion(context, formId, opened.envelopes), 0)).catch(
    orFarVersion,
  );
  if (found instanceof FarVersionError) return { kind: "version", newest: found.newest, known: found.known };
  if (found instanceof KeyLogError) return { kind: "key_log", sentence: found.message };
  const shown = await confirmRotation(context, { ...opened, list }, formId, found, {}).catch(orLostKeys);
  if ("missing" in shown) return { kind: "lost_keys", missing: shown.missing };
  return { kind: "ready", opened, list, found, shown };
}

async function rotateReady(
  context: EnvelopeContext,
  { id, name }: NamedForm,
  { opened: { envelopes, refused }, list, found: { version, isHybrid }, shown }: ReadyForm,
): Promise<RotatedForm> {
  const formId = id as FormId; // as above
  const previous = findRotatedEnvelope(envelopes, version);
  if (previous === undefined) return { kind: "none" };
  const newKey = await makeKey({ formId, formName: name, keyVersion: version }, isHybrid);
  const { keyVersion } = newKey;
  const key = await toFormKey(JSON.parse(newKey.text), keyVersion);
  const rotation = { ...publicKeysOf(newKey), keyVersion };
  const sent = await orKeyLogError(
    rotateWithEnvelope(context, list, formId, rotation, { key, previous, refused, shown }),
  );
  if (sent instanceof KeyLogError) return { kind: "key_log", sentence: sent.message };
  const stored = await prove(newKey, sent);
  if (stored.kind === "unread") return { kind: "unread", newKey, reason: stored.reason };
  addEnvelopeKeys(formId, stored.keys);
  return { kind: "rotated", keyVersion };
}

/** Here nobody is asked. */
function orLostKeys(error: unknown): LostKeys {
  if (error instanceof LostKeysError) return error.lost;
  throw error;
}

function orFarVersion(error: unknown): FarVersionError {
  if (error instanceof FarVersionError) return error;
  throw error;
}

async function orKeyLogError<Answer>(answer: Promise<Answer>): Promise<Answer | KeyLogError> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof KeyLogError) return error;
    throw error;
  }
}
