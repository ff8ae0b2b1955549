import { findKeyLogSigners, followKeyLog, RefusalError } from "@sealpost/envelope";
import type { FormId, LoggedKey } from "@sealpost/wire";
import { Explained } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";
import type { EnvelopeContext } from "./context.ts";
import type { CheckedList } from "./load-list.ts";

const { envelopes: texts, keyLog: keyLogTexts } = text;

/** The open key can't continue the form's key log; the message says why. */
export class KeyLogError extends Explained {}

/** Throws where the form was seen in another organization, whose owners and managers would sign for it from then on. */
export async function requireOwnForm(
  { heads, organizationId }: Pick<EnvelopeContext, "heads" | "organizationId">,
  formId: FormId,
): Promise<void> {
  if (!(await heads.claimForm(formId, organizationId))) throw new KeyLogError(keyLogTexts.moved);
}

/**
 * The entry of a new key in the form's key log, which has to contain what this browser has seen of it; `undefined` where the form has none. Owners
 * and managers of the signed list may sign the next one: who has left may not. Without a list those stay who may sign this one.
 */
export async function continueKeyLog(
  context: EnvelopeContext,
  list: CheckedList | undefined,
  formId: FormId,
  { version, fingerprint, hybridFingerprint }: LoggedKey,
): Promise<string | undefined> {
  const { api, heads, operations, own } = context;
  const followed = await followKeyLog({ formId, heads, fetchKeyLog: () => api.fetchKeyLog(formId) });
  if (followed.kind === "none") return undefined;
  if (followed.kind === "refused") throw new KeyLogError(`${keyLogTexts.refused[followed.reason]}.`);
  await requireOwnForm(context, formId);
  const signed = await operations.signKeyLogEntry({
    formId,
    log: followed.bytes,
    key: { version, fingerprint, hybridFingerprint },
    signers: list ? findKeyLogSigners(list.list, own.signingKey) : followed.log.entry.signers,
  });
  if (!(signed instanceof RefusalError)) return signed.entry;
  throw new KeyLogError(signed.reason === "not_allowed" ? texts.rotate.noKeyLogSigner : texts.rotate.keyLogRefused);
}
