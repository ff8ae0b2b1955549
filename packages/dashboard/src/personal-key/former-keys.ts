import { RefusalError } from "@sealpost/envelope";
import { type KeyWorker, readAnswer } from "../vault/key-worker.ts";
import { type FormerKey, personalKeyApi } from "./personal-key-api.ts";

/** Gives the key in a worker those that it has replaced, as far as it opens them. Without them it only opens less. */
export async function adoptFormerKeys(worker: KeyWorker, formerKeys: readonly FormerKey[]): Promise<void> {
  for (const { copyId, recipient, signingKey } of formerKeys) {
    if (copyId === null) continue;
    try {
      const request = { file: await personalKeyApi.loadFile(copyId), halves: { recipient, signingKey } };
      readAnswer(await worker.ask({ act: "operate", name: "adoptFormer", request }));
    } catch (error) {
      // One that was lost has no copy that opens, and a server may give back anything.
      if (!(error instanceof RefusalError)) return;
    }
  }
}
