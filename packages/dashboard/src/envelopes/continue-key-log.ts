import { type FollowedKeyLog, findKeyLogSigners, followKeyLog, RefusalError, toLoggedKey } from "@sealpost/envelope";
import { encodeText, type FormId, type KeyLogHead, verifyKeyLog } from "@sealpost/wire";
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

/** The form's key log, compared with what this browser has seen of it. */
export function followFormKeyLog(
  { api, heads }: Pick<EnvelopeContext, "api" | "heads">,
  formId: FormId,
): Promise<FollowedKeyLog> {
  return followKeyLog({ formId, heads, fetchKeyLog: () => api.fetchKeyLog(formId) });
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
 * The entry of a new key in the form's key log, which has to contain what this browser has seen of it; `undefined` where the form has none. An owner's
 * names who may sign by now, by the signed list: who has left may not. A manager's, and one without a list, leaves the signers unchanged.
 */
export async function continueKeyLog(
  context: EnvelopeContext,
  list: CheckedList | undefined,
  formId: FormId,
  key: KeyToLog,
): Promise<string | undefined> {
  const { operations, own } = context;
  const followed = await followFormKeyLog(context, formId);
  if (followed.kind === "none") return undefined;
  if (followed.kind === "refused") throw new KeyLogError(`${keyLogTexts.refused[followed.reason]}.`);
  await requireOwnForm(context, formId);
  const { version } = followed.log.entry.key;
  // Somebody was faster.
  if (version >= key.version) throw new KeyLogError(texts.rotate.changed(version));
  const signed = await operations.signKeyLogEntry({
    formId,
    log: followed.bytes,
    key: await toLoggedKey(formId, key),
    ...(list && { signers: findKeyLogSigners(list.list, own.signingKey) }),
  });
  if (!(signed instanceof RefusalError)) return signed.entry;
  throw new KeyLogError(signed.reason === "not_allowed" ? texts.rotate.noKeyLogSigner : texts.rotate.keyLogRefused);
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
  if (followed.kind !== "checked") return;
  const { log, bytes } = followed;
  const { key, owners, managers } = log.entry;
  const signers = findKeyLogSigners(list, own.signingKey);
  const isSame = hasSame(signers.owners, owners) && hasSame(signers.managers, managers);
  if (isSame) return;
  const signed = await operations.signKeyLogEntry({ formId, log: bytes, key, signers });
  // None of these keys is an owner in it.
  if (signed instanceof RefusalError) return;
  const head = await api.addKeyLogEntry(formId, signed.entry, log.head);
  await heads.advanceKeyLog(formId, log.head, head);
}

function hasSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((key) => other.includes(key));
}
