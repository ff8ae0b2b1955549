import { type OpeningKey, openSubmission, type SubmissionToOpen } from "@sealpost/sdk";
import { hybridVersion, type Kem } from "@sealpost/wire";
import { loadHybridKemFor } from "../keys/load-hybrid-kem.ts";
import type { Outcome } from "./row.ts";

/** The form that submissions belong to, and the keys for it. */
export interface FormToOpen {
  readonly formId: string;
  /** CryptoKeys that can't be exported. */
  readonly keys: readonly OpeningKey[];
  /** Key version to fingerprint, from the form's list of keys. */
  readonly fingerprints: ReadonlyMap<number, string>;
}

export type OpenedBatch = readonly (readonly [id: string, opened: Outcome])[];

/** Opens several at once. A plain submission is shown, and marked as such. */
export async function openBatch(
  { formId, keys, fingerprints }: FormToOpen,
  batch: readonly SubmissionToOpen[],
): Promise<OpenedBatch> {
  const kem = batch.some(isOfHybridKey) ? await tryLoadKem(keys) : undefined;
  const options = { acceptPlain: true, kem: kem === notLoaded ? undefined : kem };
  return Promise.all(
    batch.map(async (submission) => {
      if (kem === notLoaded && isOfHybridKey(submission)) return [submission.id, notOpened] as const;
      const expected = fingerprints.get(submission.keyVersion ?? 0);
      return [submission.id, await openSubmission(formId, submission, keys, expected, options)] as const;
    }),
  );
}

const notLoaded = "not_loaded";
const notOpened: Outcome = {
  opened: false,
  sealed: true,
  reason: notLoaded,
  message: "The program that opens submissions did not arrive, or failed",
};

/** Further failures to load are not waited for: thousands of batches would ask for a script that is gone. */
let triesLeft = 3;

async function tryLoadKem(keys: readonly OpeningKey[]): Promise<Kem | typeof notLoaded | undefined> {
  if (triesLeft === 0) return notLoaded;
  try {
    return await loadHybridKemFor(keys);
  } catch {
    triesLeft--;
    return notLoaded;
  }
}

function isOfHybridKey({ payload }: SubmissionToOpen): boolean {
  return payload.encrypted && payload.version === hybridVersion;
}

/** None of them is left waiting for ever where the program that opens has failed. */
export function failBatch(batch: readonly SubmissionToOpen[]): OpenedBatch {
  return batch.map(({ id }) => [id, notOpened]);
}
