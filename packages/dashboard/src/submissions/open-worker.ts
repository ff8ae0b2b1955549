import { type OpenedSubmission, type OpeningKey, openSubmission, type SubmissionToOpen } from "@sealpost/sdk";
import { hybridVersion } from "@sealpost/wire";
import { loadHybridKem } from "../keys/load-hybrid-kem.ts";

/** First the form and its keys (CryptoKeys that can't be exported), then batches, each answered by one message. */
export type OpenRequest =
  | {
      readonly formId: string;
      readonly keys: readonly OpeningKey[];
      /** Key version to fingerprint, from the form's list of keys. */
      readonly fingerprints: ReadonlyMap<number, string>;
    }
  | { readonly batch: readonly SubmissionToOpen[] };

export interface OpenAnswer {
  readonly opened: readonly (readonly [id: string, opened: OpenedSubmission])[];
  /** Whether the batch is done. */
  readonly isLast: boolean;
}

/** Base64 of as much as the page can take from one message without standing still; one submission may be more. */
const answerCharactersMax = 500_000;

function isOfHybridKey({ payload }: SubmissionToOpen): boolean {
  return payload.encrypted && payload.version === hybridVersion;
}

let form: Extract<OpenRequest, { formId: string }> | undefined;

// A failure is the worker's, by which its owner knows that no answer comes.
self.onmessage = ({ data }: MessageEvent<OpenRequest>) => {
  if ("formId" in data) form = data;
  else answer(data.batch).catch(reportError);
};

async function answer(batch: readonly SubmissionToOpen[]): Promise<void> {
  if (form === undefined) throw new Error("A batch came before the keys");
  const { formId, keys, fingerprints } = form;
  const kem = batch.some(isOfHybridKey) ? await loadHybridKem() : undefined;
  const options = { acceptPlain: true, kem }; // a plain submission is shown, and marked as such
  const opened = await Promise.all(
    batch.map(async (submission) => {
      const expected = fingerprints.get(submission.keyVersion ?? 0);
      return [submission.id, await openSubmission(formId, submission, keys, expected, options)] as const;
    }),
  );
  let answer: OpenAnswer["opened"][number][] = [];
  let characters = 0;
  for (const [index, one] of opened.entries()) {
    const payload = batch[index]?.payload;
    const length = payload !== undefined && "data" in payload ? payload.data.length : 0;
    if (answer.length > 0 && characters + length > answerCharactersMax) {
      self.postMessage({ opened: answer, isLast: false } satisfies OpenAnswer);
      answer = [];
      characters = 0;
    }
    answer.push(one);
    characters += length;
  }
  self.postMessage({ opened: answer, isLast: true } satisfies OpenAnswer);
}
