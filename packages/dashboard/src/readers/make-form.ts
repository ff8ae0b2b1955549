import { ApiError } from "@sealpost/sdk";
import type { FormId } from "@sealpost/wire";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { type FoundList, findOrFoundList } from "../envelopes/found-list.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { createFormWithEnvelope, type StoredEnvelope } from "../envelopes/store-envelope.ts";
import type { NewFormSettings } from "../form/name-step.tsx";
import { makeKey, type NewKey, provesKey, publicKeysOf } from "../keys/new-key.ts";
import { toFormKey } from "./read-brought-key.ts";

export type MakingStep = "list" | "reserve" | "key" | "store";

export type MadeForm =
  | { readonly kind: "list"; readonly list: Exclude<FoundList, CheckedList> }
  | { readonly kind: "made"; readonly formId: FormId; readonly newKey: NewKey; readonly stored: StoredEnvelope };

/** Id and key of a try. The next try uses them again where nobody knows whether the request arrived. */
export interface Attempt {
  readonly settings: NewFormSettings;
  readonly formId: FormId;
  readonly newKey: NewKey;
}

/**
 * Makes a form with an envelope for the person: id, key pair, envelope, form, in this order, so that no form exists without a reader. Then the
 * envelope is read back and has to open a test value.
 */
export async function makeForm(
  context: EnvelopeContext,
  settings: NewFormSettings,
  tried: { attempt?: Attempt | undefined },
  onStep: (step: MakingStep) => void,
): Promise<MadeForm> {
  onStep("list");
  const list = await findOrFoundList(context);
  if (list.kind !== "checked") return { kind: "list", list };
  const attempt = isSame(tried.attempt?.settings, settings) ? tried.attempt : undefined;
  const { formId, newKey } = attempt ?? (await prepare(context, settings, onStep));
  tried.attempt = { settings, formId, newKey };
  onStep("store");
  const { name, encryption, piiStrip } = settings;
  const form = { formId, name, ...publicKeysOf(newKey), settings: { encryption, piiStrip } };
  try {
    const stored = await createFormWithEnvelope(context, list, form, await toFormKey(JSON.parse(newKey.text), 1));
    return { kind: "made", formId, newKey, stored: await prove(newKey, stored) };
  } catch (error) {
    // The server has answered: there is no such form, and the next try is another.
    if (error instanceof ApiError && error.status < 500) tried.attempt = undefined;
    throw error;
  }
}

async function prepare(
  { api }: EnvelopeContext,
  { name, isHybrid }: NewFormSettings,
  onStep: (step: MakingStep) => void,
): Promise<Pick<Attempt, "formId" | "newKey">> {
  onStep("reserve");
  const formId = await api.reserveForm();
  onStep("key");
  return { formId, newKey: await makeKey({ formId, formName: name, keyVersion: 1 }, isHybrid) };
}

/** The key that the envelope gave back has to open a test value of its own. */
export async function prove(newKey: NewKey, stored: StoredEnvelope): Promise<StoredEnvelope> {
  if (stored.kind === "unread") return stored;
  const key = stored.keys.find(({ fingerprint }) => fingerprint === newKey.fingerprint);
  const isProved = key !== undefined && (await provesKey(publicKeysOf(newKey), key));
  return isProved ? stored : { kind: "unread", reason: "wrong_key" };
}

function isSame(one: NewFormSettings | undefined, other: NewFormSettings): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
