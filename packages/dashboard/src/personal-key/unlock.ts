import { type PublicHalves, RefusalError } from "@sealpost/envelope";
import { loadHeads } from "../envelopes/heads.ts";
import type { CopySecretGiven } from "./copy-secret.ts";
import { openCopy } from "./key-worker.ts";
import type { AskPasskey } from "./passkey-prf.ts";
import { holdPersonalKey } from "./personal-key.ts";
import { type KeyCopy, personalKeyApi } from "./personal-key-api.ts";
import { startKeyWorker } from "./start-key-worker.ts";

/**
 * Unlocks the key in this browser with the first of the copies that the secret opens: the key that this browser has seen before, or
 * at the first time the one that the server has `named`. Rejects with a `RefusalError`: where
 * several copies are refused, with the one that says more than a wrong secret.
 */
export async function unlock(
  copies: readonly KeyCopy[],
  secret: CopySecretGiven,
  { personId, named }: { readonly personId: string; readonly named: PublicHalves },
  askPasskey?: AskPasskey,
): Promise<void> {
  const heads = await loadHeads();
  const expected = (await heads.findPublicHalves(personId)) ?? named;
  const worker = startKeyWorker();
  let refusal = new RefusalError("wrong_secret");
  try {
    for (const { id } of copies) {
      const file = await personalKeyApi.loadFile(id);
      try {
        await openCopy(worker, { file, secret, expected }, askPasskey);
        await heads.rememberPublicHalves(personId, expected);
        return await holdPersonalKey(worker, expected);
      } catch (error) {
        if (!(error instanceof RefusalError)) throw error;
        if (error.reason !== "wrong_secret") refusal = error;
      }
    }
    throw refusal;
  } catch (error) {
    worker.end();
    throw error;
  }
}
