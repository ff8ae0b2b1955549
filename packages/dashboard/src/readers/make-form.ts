import type { StoredEnvelope } from "@sealpost/sdk/envelopes";
import type { FormId } from "@sealpost/wire";
import { sendAttempt, type Tried } from "../api/attempt.ts";
import type { EnvelopeContext } from "../envelopes/context.ts";
import { type FoundList, findOrFoundList } from "../envelopes/found-list.ts";
import type { CheckedList } from "../envelopes/load-list.ts";
import { createFormWithEnvelope } from "../envelopes/store-envelope.ts";
import type { NewFormSettings } from "../form/name-step.tsx";
import { makeKey, type NewKey, provesKey, publicKeysOf } from "../keys/new-key.ts";
import { toFormKey } from "../keys/to-form-key.ts";

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
  tried: Tried<Attempt>,
  onStep: (step: MakingStep) => void,
): Promise<MadeForm> {
  onStep("list");
  const list = await findOrFoundList(context);
  if (list.kind !== "checked") return { kind: "list", list };
  if (!isSame(tried.attempt?.settings, settings)) tried.attempt = undefined;
  const { name, encryption, piiStrip } = settings;
  return sendAttempt(
    tried,
    () => prepare(context, settings, onStep),
    async ({ formId, newKey }) => {
      onStep("store");
      const form = { formId, name, ...publicKeysOf(newKey), settings: { encryption, piiStrip } };
      const stored = await createFormWithEnvelope(context, list, form, await toFormKey(JSON.parse(newKey.text), 1));
      return { kind: "made", formId, newKey, stored: await prove(newKey, stored) };
    },
  );
}

async function prepare(
  { api }: EnvelopeContext,
  settings: NewFormSettings,
  onStep: (step: MakingStep) => void,
): Promise<Attempt> {
  onStep("reserve");
  const formId = await api.reserveForm();
  onStep("key");
  const newKey = await makeKey({ formId, formName: settings.name, keyVersion: 1 }, settings.isHybrid);
  return { settings, formId, newKey };
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
