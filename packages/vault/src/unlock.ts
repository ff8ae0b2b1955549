import { type PublicHalves, RefusalError } from "@sealpost/envelope";
import type { CopySecretGiven } from "./copy-secret.ts";
import { adoptFormerKeys, type LoadFile, type ReplacedKey } from "./former-keys.ts";
import { type KeyWorker, openCopy } from "./key-worker.ts";
import type { AskPasskey } from "./passkey-prf.ts";
import type { SeenKeys } from "./seen-keys.ts";

export interface PersonWithKey {
  readonly personId: string;
  /** The key that the server names as theirs. */
  readonly named: PublicHalves;
  /** Those that the server says it has replaced. */
  readonly formerKeys: readonly ReplacedKey[];
  /** The person says that the named key is theirs, though this browser has seen another. */
  readonly isNamedAccepted: boolean;
}

/** The page that unlocks, as far as unlocking needs it. */
export interface UnlockingPage {
  readonly seenKeys: Pick<SeenKeys, "findPublicHalves" | "rememberPublicHalves">;
  readonly loadFile: LoadFile;
  readonly startWorker: () => KeyWorker;
  /** Holds the key open, in this worker. */
  readonly hold: (worker: KeyWorker, halves: PublicHalves) => Promise<void>;
  readonly askPasskey?: AskPasskey | undefined;
}

/**
 * Unlocks the key in this browser with the first of the copies that one of the secrets opens: the key that this browser has seen before, or
 * at the first time, and where its person accepts that, the one that the server has named. Gives its public halves. Rejects with a
 * `RefusalError`: where several copies are refused, with the one that says more than a wrong secret.
 */
export async function unlock(
  copies: readonly { readonly id: string }[],
  secrets: readonly CopySecretGiven[],
  { personId, named, formerKeys, isNamedAccepted }: PersonWithKey,
  { seenKeys, loadFile, startWorker, hold, askPasskey }: UnlockingPage,
): Promise<PublicHalves> {
  const seen = isNamedAccepted ? undefined : await seenKeys.findPublicHalves(personId);
  const expected = seen ?? named;
  const worker = startWorker();
  let refusal: RefusalError = new RefusalError("wrong_secret");
  try {
    for (const { id } of copies) {
      const file = await loadFile(id);
      for (const secret of secrets) {
        const refused = await findRefusal(openCopy(worker, { file, secret, expected }, askPasskey));
        if (refused === undefined) {
          await seenKeys.rememberPublicHalves(personId, expected);
          await adoptFormerKeys(worker, formerKeys, loadFile);
          await hold(worker, expected);
          return expected;
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
