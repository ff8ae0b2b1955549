import { findNewestEnvelope } from "@sealpost/envelope";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import { openEnvelopes, openOne } from "./open-form.ts";
import { sealFor } from "./store-envelope.ts";

/**
 * Names the head of a key log that was just begun, or `null` for one that was given up, in the next revision of the form's newest envelope: otherwise no
 * manager could rotate. Where the person is no owner of the list, or reads none in order, an owner's next change of readers does it.
 */
export async function writeKeyLogHead(
  context: EnvelopeContext,
  formId: FormId,
  keyLog: KeyLogHead | null,
): Promise<void> {
  const opened = await openEnvelopes(context, formId);
  // With what the envelopes name of it, which may be newer than what this browser has seen.
  if (keyLog === null) await context.heads.forgetKeyLog(formId);
  if (opened.kind !== "opened" || opened.refused.length > 0) return;
  const { list } = opened;
  if (list.kind !== "checked" || list.own.role !== "owner") return;
  const newest = findNewestEnvelope(opened.envelopes);
  // A new revision would forget who waits for somebody to accept their key, or to vouch for them.
  if (newest?.readers.some(({ id }) => !list.sealable.has(id))) return;
  if (newest === undefined || newest.outdated.length > 0 || newest.head.keyLog?.hash === keyLog?.hash) return;
  const { file, head } = await sealFor(context, list, formId, [], newest, { keyLog });
  await context.api.storeEnvelope(formId, newest.firstVersion, file, newest.head);
  await openOne(context, formId, list, newest.firstVersion, head);
}
