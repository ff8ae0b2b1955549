import { findNewestEnvelope } from "@sealpost/envelope";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { EnvelopeClient, SealingList } from "./envelope-client.ts";
import type { FormToWrite } from "./open-form.ts";
import { sealRevision, storeRevision } from "./store-envelope.ts";

/**
 * Names the head of a key log that was just begun, or `null` for one that was given up, in the next revision of the form's newest envelope: otherwise no
 * manager could rotate. Where the person is no owner of the list, or reads none in order, nothing is done: an owner's next rotation does it, and, for a log
 * that was begun, an owner's next change of readers.
 */
export async function nameKeyLogHead(
  client: EnvelopeClient,
  { envelopes, refused, list }: FormToWrite<SealingList>,
  formId: FormId,
  keyLog: KeyLogHead | null,
): Promise<void> {
  const newest = findNewestEnvelope(envelopes);
  if (newest === undefined || refused.length > 0 || list.own.role !== "owner") return;
  if (newest.head.keyLog?.hash === keyLog?.hash) return;
  // A new revision would forget who waits for somebody to accept their key, or to vouch for them.
  if (newest.outdated.length > 0 || !newest.readers.every(({ id }) => list.sealable.has(id))) return;
  const sealed = await sealRevision(client, list, formId, [], newest, { keyLog });
  await storeRevision(client, list, sealed, newest.head);
}
