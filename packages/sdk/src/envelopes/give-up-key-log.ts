import { findLast } from "@sealpost/envelope";
import { type FormId, hasKeyLogHead, verifyKeyLog } from "@sealpost/wire";
import { ApiError } from "../client/api-error.ts";
import type { EnvelopeApi, EnvelopeClient, SealingList } from "./envelope-client.ts";
import { nameKeyLogHead } from "./name-key-log.ts";
import type { FormToWrite, OpenedEnvelopes } from "./open-form.ts";
import { untilFirst } from "./whole-form.ts";

export interface GivenUpKeyLog {
  /** The form's envelope may still name the log: until an owner rotates the form, its managers can't. */
  readonly mayBeNamed: boolean;
}

/** A session that gives up a key log. Without the personal key nothing is written into an envelope. */
export interface KeyLogGiver extends Pick<EnvelopeClient, "heads"> {
  readonly api: Pick<EnvelopeApi, "listEnvelopes" | "removeKeyLog">;
}

/** The form's envelope, for a person whose key is open. */
export interface EnvelopeOfLog {
  readonly client: EnvelopeClient;
  /** Opens the form's envelopes to write the next revision; `undefined` where it has none, or the person may not. */
  open(): Promise<(FormToWrite<SealingList> & Pick<OpenedEnvelopes, "forReading">) | undefined>;
}

/**
 * Gives up a form's key log: the service removes it, this device forgets it, and the form's newest envelope says that there is none. By that, other devices
 * know that the log was given up and is not hidden from them. Done again, it finishes what was cut off.
 */
export async function giveUpKeyLog(
  { api, heads }: KeyLogGiver,
  formId: FormId,
  envelope?: EnvelopeOfLog,
): Promise<GivenUpKeyLog> {
  const hasEnvelope = (await api.listEnvelopes(formId)).length > 0;
  // Before the log is gone: an entry that the envelope names, and that no log has, is noted as given up only where it was seen here.
  if (hasEnvelope && envelope) await noteNamed(envelope, formId);
  await api.removeKeyLog(formId).catch(async (error: unknown) => {
    const isGone = error instanceof ApiError && error.reason === "key_log_none";
    if (!isGone || !(await isNamed(heads, formId))) throw error;
  });
  await heads.forgetKeyLog(formId);
  if (!hasEnvelope) return { mayBeNamed: false };
  // The log is gone, whatever becomes of the envelope.
  if (envelope) await untilFirst(() => nameNoLog(envelope, formId)).catch(() => undefined);
  return { mayBeNamed: (await isNamed(heads, formId)) ?? true };
}

/** Also the entries of this log that revisions name which open and are not remembered, such as one that a person has yet to look at. */
async function noteNamed({ client: { api, heads }, open }: EnvelopeOfLog, formId: FormId): Promise<void> {
  const { forReading = [] } = (await open()) ?? {};
  if (forReading.every(({ head }) => head.keyLog === null)) return;
  const log = await verifyKeyLog(await api.fetchKeyLog(formId), { formId });
  if (typeof log === "string") return;
  for (const { firstVersion, head } of forReading)
    if (head.keyLog !== null && hasKeyLogHead(log, head.keyLog))
      await heads.noteUnshown(formId, { firstVersion, keyLog: head.keyLog });
}

async function nameNoLog({ client, open }: EnvelopeOfLog, formId: FormId): Promise<void> {
  const form = await open();
  if (form) await nameKeyLogHead(client, form, formId, null);
}

/** Whether the newest envelope that was seen here names a log; `undefined` where none was. */
async function isNamed(heads: EnvelopeClient["heads"], formId: FormId): Promise<boolean | undefined> {
  const { heads: seen, unshown = [] } = await heads.findEnvelopes(formId);
  const newest = findLast(seen);
  return unshown.length > 0 || (newest && newest.keyLog !== null);
}

/** A person has said that the log which was seen here was given up: the one that the service shows by now, if it is in order, counts as seen in its place. */
export async function acceptShownLog(
  { api, heads }: Pick<EnvelopeClient, "heads"> & { readonly api: Pick<EnvelopeApi, "fetchKeyLog"> },
  formId: FormId,
): Promise<void> {
  const bytes = await api.fetchKeyLog(formId);
  const log = bytes === undefined || bytes.length === 0 ? undefined : await verifyKeyLog(bytes, { formId });
  await heads.forgetKeyLog(formId, typeof log === "string" ? undefined : log);
}
