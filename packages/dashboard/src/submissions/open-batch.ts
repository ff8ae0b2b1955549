import { type OpeningKey, openSubmission, type SubmissionToOpen } from "@sealpost/sdk";
import { loadHybridKem } from "@sealpost/vault";
import { hybridVersion } from "@sealpost/wire";
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
  const options = { acceptPlain: true, kem: batch.some(isOfHybridKey) ? await loadHybridKem() : undefined };
  return Promise.all(
    batch.map(async (submission) => {
      const expected = fingerprints.get(submission.keyVersion ?? 0);
      return [submission.id, await openSubmission(formId, submission, keys, expected, options)] as const;
    }),
  );
}

function isOfHybridKey({ payload }: SubmissionToOpen): boolean {
  return payload.encrypted && payload.version === hybridVersion;
}

const notOpened: Outcome = {
  opened: false,
  sealed: true,
  reason: "not_loaded",
  message: "The program that opens submissions did not arrive, or failed",
};

/** None of them is left waiting for ever where the program that opens has failed. */
export function failBatch(batch: readonly SubmissionToOpen[]): OpenedBatch {
  return batch.map(({ id }) => [id, notOpened]);
}
