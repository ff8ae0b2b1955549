import { type FormKey, findKeyLogSigners, RefusalError } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import { envelopes as texts } from "../texts/english/envelopes.ts";
import type { EnvelopeContext } from "./context.ts";
import type { CheckedList } from "./load-list.ts";

/** The open key can't continue the form's key log; the message says why. */
export class KeyLogError extends Error {}

/**
 * The entry of a new key in the form's key log; `undefined` where the form has none. Owners and managers of the signed list may sign the next one:
 * who has left may not.
 */
export async function continueKeyLog(
  context: EnvelopeContext,
  list: CheckedList,
  formId: FormId,
  { version, fingerprint, hybridFingerprint }: FormKey,
): Promise<string | undefined> {
  const log = await context.api.fetchKeyLog(formId);
  if (log.length === 0) return undefined;
  const key = { version, fingerprint, hybridFingerprint };
  const signed = await context.operations.signKeyLogEntry({
    formId,
    log,
    key,
    signers: findKeyLogSigners(list.list, context.own.signingKey),
  });
  if (!(signed instanceof RefusalError)) return signed.entry;
  throw new KeyLogError(signed.reason === "not_allowed" ? texts.rotate.noKeyLogSigner : texts.rotate.keyLogRefused);
}
