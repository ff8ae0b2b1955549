import { findNewestEnvelope, sealEnvelope } from "@sealpost/envelope";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import type { KeyLogWriting } from "./form-key-log.ts";
import { findSealing, findSelf, openAgain, openWhole } from "./whole-form.ts";

interface Writing extends KeyLogWriting {
  readonly client: Pick<Client, "envelopes" | "forms">;
}

/**
 * Names the head of a key log that was just begun in the next revision of the form's newest envelope, where the person is an owner who reads it: otherwise
 * no manager could rotate after another log. Never rejects: the log has begun, and an owner's next change of readers names it too.
 */
export async function writeKeyLogHead(
  writing: Writing,
  formId: FormId,
  keyLog: KeyLogHead,
  options?: CallOptions,
): Promise<void> {
  const { client, reader, key } = writing;
  try {
    const { list, envelopes } = await openWhole(reader, formId, options);
    const newest = findNewestEnvelope(envelopes);
    // A new revision would forget who waits for somebody to accept their key, or to vouch for them.
    if (newest === undefined || newest.outdated.length > 0 || findSelf(list, key).role !== "owner") return;
    const previous = await openAgain(writing, list, newest);
    const { standing, signer, sealing } = await findSealing(writing, list);
    const readerIds = newest.readers.map(({ id }) => id);
    if (!readerIds.every((id) => sealing.sealable.has(id))) return;
    const parts = { list, signer, standing, formId, readerIds, keys: [], keyLog, previous };
    const { file } = await sealEnvelope(parts);
    await client.envelopes.put(formId, newest.firstVersion, file, newest.head, options);
    await openWhole(reader, formId, options);
  } catch {
    // See above.
  }
}
