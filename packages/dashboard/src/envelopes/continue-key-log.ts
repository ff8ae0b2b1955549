import {
  continueFormLog,
  type FollowedKeyLog,
  findKeyLogSigners,
  followKeyLog,
  KeyLogProblemError,
  RefusalError,
  renewSigners as renewLogSigners,
  toLoggedKey,
} from "@sealpost/envelope";
import {
  encodeText,
  type FormId,
  type KeyLogEntry,
  type KeyLogHead,
  type LoggedKey,
  verifyKeyLog,
} from "@sealpost/wire";
import { Explained } from "../api/describe-error.ts";
import { text } from "../texts/text.ts";
import type { Bytes } from "./bytes.ts";
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

/** The form's key log, compared with what this browser has seen of it, and with the entry that a revision names which was opened. */
export function followFormKeyLog(
  { api, heads }: Pick<EnvelopeContext, "api" | "heads">,
  formId: FormId,
  named: KeyLogHead | null = null,
): Promise<FollowedKeyLog> {
  return followKeyLog({ formId, heads, named, fetchKeyLog: () => api.fetchKeyLog(formId) });
}

type KeyToLog = Parameters<typeof toLoggedKey>[1];

/** The first entry of a new form's key log, and the head that it is. */
export async function beginKeyLog(
  { operations, own }: Pick<EnvelopeContext, "operations" | "own">,
  list: CheckedList,
  formId: FormId,
  key: KeyToLog,
): Promise<{ readonly entry: string; readonly head: KeyLogHead }> {
  const signers = findKeyLogSigners(list.list, own.signingKey);
  const logged = await toLoggedKey(formId, key);
  const signed = await operations.signKeyLogEntry({ formId, log: new Uint8Array(), key: logged, signers });
  if (signed instanceof RefusalError) throw new KeyLogError(keyLogTexts.notSigner);
  const log = await verifyKeyLog(encodeText(signed.entry), { formId });
  if (typeof log === "string") throw new KeyLogError(texts.rotate.keyLogRefused);
  return { entry: signed.entry, head: log.head };
}

/**
 * The entry of a new key in the form's key log, which has to contain what this browser has seen of it, and what the form's newest envelope names, `named`;
 * `undefined` where the form has none. An owner's names who may sign by now, by the signed list: who has left may not. A manager's, and one without a list,
 * leaves the signers unchanged.
 */
export async function continueKeyLog(
  context: EnvelopeContext,
  list: CheckedList | undefined,
  formId: FormId,
  key: KeyToLog,
  named: KeyLogHead | null = null,
): Promise<string | undefined> {
  const { api, heads, operations, own } = context;
  const logged = await toLoggedKey(formId, key);
  const source = { formId, heads, named, own: own.signingKey, fetchKeyLog: () => api.fetchKeyLog(formId) };
  const sign = async (log: Bytes, added: LoggedKey, before: KeyLogEntry) => {
    await requireOwnForm(context, formId);
    const signers = list && findKeyLogSigners(list.list, own.signingKey, before);
    const signed = await operations.signKeyLogEntry({ formId, log, key: added, ...(signers && { signers }) });
    return signed instanceof RefusalError ? signed : signed.entry;
  };
  try {
    return await continueFormLog({ ...source, sign }, logged);
  } catch (error) {
    if (error instanceof KeyLogProblemError) throw new KeyLogError(describeKeyLogProblem(error.reason, key.version));
    throw error;
  }
}

/** A sentence that says what is wrong, and what to do. */
export function describeKeyLogProblem(reason: KeyLogProblemError["reason"], version: number): string {
  if (reason === "overtaken") return texts.rotate.changed(version);
  if (reason === "no_signer") return texts.rotate.noKeyLogSigner;
  if (isObstacle(reason)) return texts.rotate.managers[reason];
  return `${keyLogTexts.refused[reason]}. ${keyLogTexts.nothingChanged}`;
}

function isObstacle(reason: KeyLogProblemError["reason"]): reason is keyof typeof texts.rotate.managers {
  return Object.hasOwn(texts.rotate.managers, reason);
}

/**
 * Names in the form's key log who may sign by now, where its newest entry says otherwise and has a key of the person as an owner, a former one too, or the recovery key that is open: so that somebody who was brought
 * in can rotate the form, and who left can't continue its log. What is wrong with a log is said where it is shown.
 */
export async function renewSigners(
  { api, heads, operations, own }: EnvelopeContext,
  { list }: CheckedList,
  formId: FormId,
  followed: FollowedKeyLog,
): Promise<void> {
  await renewLogSigners({
    ...{ formId, heads, followed, list, own: own.signingKey },
    async sign(log, key, signers) {
      const signed = await operations.signKeyLogEntry({ formId, log, key, signers });
      return signed instanceof RefusalError ? signed : signed.entry;
    },
    send: (entry, before) => api.addKeyLogEntry(formId, entry, before),
  });
}
