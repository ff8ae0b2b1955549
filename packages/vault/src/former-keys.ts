import { type PublicHalves, RefusalError } from "@sealpost/envelope";
import { type KeyWorker, readAnswer } from "./key-worker.ts";

/** A key that another one has replaced. */
export interface ReplacedKey extends PublicHalves {
  /** The id of a copy of this key that its replacement opens; `null` if it was lost. */
  readonly copyId: string | null;
}

/** Fetches the age file of a copy; empty, which nothing opens, where the server answered with something else. */
export type LoadFile = (copyId: string) => Promise<Uint8Array<ArrayBuffer>>;

/** Gives the key in a worker those that it has replaced, as far as it opens them. Without them it only opens less. */
export async function adoptFormerKeys(
  worker: KeyWorker,
  formerKeys: readonly ReplacedKey[],
  loadFile: LoadFile,
): Promise<void> {
  for (const { copyId, recipient, signingKey } of formerKeys) {
    if (copyId === null) continue;
    try {
      const request = { file: await loadFile(copyId), halves: { recipient, signingKey } };
      readAnswer(await worker.ask({ act: "operate", name: "adoptFormer", request }));
    } catch (error) {
      // One that was lost has no copy that opens, and a server may give back anything.
      if (!(error instanceof RefusalError)) return;
    }
  }
}
