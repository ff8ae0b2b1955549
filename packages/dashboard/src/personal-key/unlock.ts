import { type PublicHalves, RefusalError } from "@sealpost/envelope";
import { loadHeads } from "../envelopes/heads.ts";
import type { CopySecretGiven } from "../vault/copy-secret.ts";
import { openCopy } from "../vault/key-worker.ts";
import type { AskPasskey } from "../vault/passkey-prf.ts";
import { adoptFormerKeys } from "./former-keys.ts";
import { keepHeadsOfAll } from "./keep-heads.ts";
import { holdPersonalKey } from "./personal-key.ts";
import { type FormerKey, type KeyCopy, personalKeyApi } from "./personal-key-api.ts";
import { startKeyWorker } from "./start-key-worker.ts";

export interface PersonWithKey {
  readonly personId: string;
  /** The key that the server names as theirs. */
  readonly named: PublicHalves;
  /** Those that the server says it has replaced. */
  readonly formerKeys: readonly FormerKey[];
  /** The person says that the named key is theirs, though this browser has seen another. */
  readonly isNamedAccepted: boolean;
}

/**
 * Unlocks the key in this browser with the first of the copies that one of the secrets opens: the key that this browser has seen before, or
 * at the first time, and where its person accepts that, the one that the server has named. Rejects with a `RefusalError`: where
 * several copies are refused, with the one that says more than a wrong secret.
 */
export async function unlock(
  copies: readonly KeyCopy[],
  secrets: readonly CopySecretGiven[],
  { personId, named, formerKeys, isNamedAccepted }: PersonWithKey,
  askPasskey?: AskPasskey,
): Promise<void> {
  const heads = await loadHeads();
  const seen = isNamedAccepted ? undefined : await heads.findPublicHalves(personId);
  const expected = seen ?? named;
  const worker = startKeyWorker();
  let refusal: RefusalError = new RefusalError("wrong_secret");
  try {
    for (const { id } of copies) {
      const file = await personalKeyApi.loadFile(id);
      for (const secret of secrets) {
        const refused = await findRefusal(openCopy(worker, { file, secret, expected }, askPasskey));
        if (refused === undefined) {
          await heads.rememberPublicHalves(personId, expected);
          await adoptFormerKeys(worker, formerKeys);
          await holdPersonalKey(worker, expected);
          void keepHeadsOfAll(personId, expected);
          return;
        }
        if (refused.reason !== "wrong_secret") refusal = refused;
      }
    }
    throw refusal;
  } catch (error) {
    worker.end();
    throw error;
  }
}

/** The refusal with which it was rejected; rejects with any other error. */
async function findRefusal(opening: Promise<unknown>): Promise<RefusalError | undefined> {
  try {
    await opening;
    return undefined;
  } catch (error) {
    if (error instanceof RefusalError) return error;
    throw error;
  }
}
