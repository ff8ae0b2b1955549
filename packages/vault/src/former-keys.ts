import { RefusalError } from "@sealpost/envelope";
import { type FormerKeySource, openFormerKeys, type ReplacedKey } from "@sealpost/sdk/envelopes";
import { type KeyWorker, readAnswer } from "./key-worker.ts";

export type { ReplacedKey };

/** Fetches the age file of a copy; empty, which nothing opens, where the server answered with something else. */
export type LoadFile = FormerKeySource["loadFile"];

/** Gives the key in a worker those that it has replaced, as far as it opens them. Without them it only opens less. */
export async function adoptFormerKeys(
  worker: KeyWorker,
  formerKeys: readonly ReplacedKey[],
  loadFile: LoadFile,
): Promise<void> {
  try {
    await openFormerKeys({
      formerKeys,
      loadFile,
      async open(request) {
        try {
          readAnswer(await worker.ask({ act: "operate", name: "adoptFormer", request }));
          return undefined;
        } catch (error) {
          if (error instanceof RefusalError) return error;
          throw error;
        }
      },
    });
  } catch {
    // The worker has ended.
  }
}
