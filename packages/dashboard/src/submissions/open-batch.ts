import { type OpenedSubmission, type OpeningKey, openSubmission, type SubmissionToOpen } from "@sealpost/sdk";
import { hybridVersion } from "@sealpost/wire";
import { loadHybridKemFor } from "../keys/load-hybrid-kem.ts";

/** The form that submissions belong to, and the keys for it. */
export interface FormToOpen {
  readonly formId: string;
  /** CryptoKeys that can't be exported. */
  readonly keys: readonly OpeningKey[];
  /** Key version to fingerprint, from the form's list of keys. */
  readonly fingerprints: ReadonlyMap<number, string>;
}

export type OpenedBatch = readonly (readonly [id: string, opened: OpenedSubmission])[];

/** Opens several at once. A plain submission is shown, and marked as such. */
export async function openBatch(
  { formId, keys, fingerprints }: FormToOpen,
  batch: readonly SubmissionToOpen[],
): Promise<OpenedBatch> {
  const kem = batch.some(isOfHybridKey) ? await loadHybridKemFor(keys) : undefined;
  const options = { acceptPlain: true, kem };
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

/** None of them is left waiting for ever where the program that opens has failed. */
export function failBatch(batch: readonly SubmissionToOpen[]): OpenedBatch {
  const message = "The program that opens submissions failed";
  return batch.map(({ id }) => [id, { opened: false, sealed: true, reason: "could_not_be_opened", message }]);
}
