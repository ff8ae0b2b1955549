import { type FollowedKeyLog, keptReaders, nameKeyLog, sealEnvelope, type VerifiedList } from "@sealpost/envelope";
import type { FormId } from "@sealpost/wire";
import type { CallOptions } from "../client/call.ts";
import type { Client } from "../client/client.ts";
import type { OpenedForm } from "./envelope-reader.ts";
import { followFormKeyLog, type KeyLogWriting, renewSigners } from "./form-key-log.ts";
import { findSealing, findSelf, openAgain, openWhole, untilFirst } from "./whole-form.ts";

/** Ids of members. */
export interface ReaderChange {
  readonly add: readonly string[];
  readonly remove: readonly string[];
}

interface Writing extends KeyLogWriting {
  readonly client: Pick<Client, "envelopes" | "forms">;
}

export function changeReaders(
  writing: Writing,
  formId: string,
  change: ReaderChange,
  options?: CallOptions,
): Promise<boolean> {
  const { client, reader } = writing;
  return untilFirst(async () => {
    const { list, envelopes } = await openWhole(reader, formId, options);
    const logged = formId as FormId; // by the API's document: the log of any other is refused
    const followed = await followFormKeyLog(writing, logged, options);
    let isChanged = false;
    for (const envelope of envelopes) {
      const sealed = await rewrite(writing, list, followed, envelope, change);
      if (sealed === undefined) continue;
      isChanged = true;
      await client.envelopes.put(formId, envelope.firstVersion, sealed, envelope.head, options);
    }
    // Read back: a server that took the revisions and shows others is refused here.
    if (isChanged) await openWhole(reader, formId, options);
    await renewSigners(writing, logged, followed, list, options);
    return isChanged;
  });
}

/** The next revision, or `undefined` where the readers are those that they should be. */
async function rewrite(
  writing: Writing,
  list: VerifiedList,
  followed: FollowedKeyLog,
  envelope: OpenedForm["envelopes"][number],
  { add, remove }: ReaderChange,
) {
  const { head, readers, outdated } = envelope;
  const { key } = writing;
  const { standing, signer, sealing } = await findSealing(writing, list);
  const kept = [...keptReaders(sealing, envelope), ...add].filter((id) => !remove.includes(id));
  const recovery = [...list.members.values()].filter(({ role }) => role === "recovery").map(({ id }) => id);
  const wanted = new Set([signer.id, ...kept, ...recovery]);
  const isSame = wanted.size === readers.length && readers.every(({ id }) => wanted.has(id));
  const previous = await openAgain(writing, list, envelope);
  const { keyLog, isOther } = nameKeyLog(head, followed, list, findSelf(list, key));
  if (isSame && outdated.length === 0 && !isOther) return undefined;
  const parts = { list, keyLog, signer, standing, formId: head.formId, readerIds: [...wanted], keys: [], previous };
  return (await sealEnvelope(parts)).file;
}
