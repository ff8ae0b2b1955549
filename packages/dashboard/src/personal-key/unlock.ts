import { type AskPasskey, type CopySecretGiven, type PersonWithKey, unlock } from "@sealpost/vault";
import { loadSeenKeys } from "../envelopes/heads.ts";
import { keepHeadsOfAll } from "./keep-heads.ts";
import { holdPersonalKey } from "./personal-key.ts";
import { type KeyCopy, personalKeyApi } from "./personal-key-api.ts";
import { startKeyWorker } from "./start-key-worker.ts";

/** Unlocks the key for all tabs of this browser, as `unlock` of the vault says. */
export async function unlockPersonalKey(
  copies: readonly KeyCopy[],
  secrets: readonly CopySecretGiven[],
  person: PersonWithKey,
  askPasskey?: AskPasskey,
): Promise<void> {
  const opened = await unlock(copies, secrets, person, {
    seenKeys: await loadSeenKeys(),
    loadFile: personalKeyApi.loadFile,
    startWorker: startKeyWorker,
    hold: holdPersonalKey,
    askPasskey,
  });
  void keepHeadsOfAll(person.personId, opened);
}
