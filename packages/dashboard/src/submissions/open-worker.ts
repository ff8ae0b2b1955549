import type { SubmissionToOpen } from "@sealpost/sdk";
import { type FormToOpen, type OpenedBatch, openBatch } from "./open-batch.ts";

/** First the form and its keys (CryptoKeys that can't be exported), then batches, each answered by one message. */
export type OpenRequest = FormToOpen | { readonly batch: readonly SubmissionToOpen[] };

export interface OpenAnswer {
  readonly opened: OpenedBatch;
  /** Whether the batch is done. */
  readonly isLast: boolean;
}

/** Base64 of as much as the page can take from one message without standing still; one submission may be more. */
const answerCharactersMax = 500_000;

let form: FormToOpen | undefined;

// A failure is the worker's, by which its owner knows that no answer comes.
self.onmessage = ({ data }: MessageEvent<OpenRequest>) => {
  if ("formId" in data) form = data;
  else answer(data.batch).catch(reportError);
};

async function answer(batch: readonly SubmissionToOpen[]): Promise<void> {
  if (form === undefined) throw new Error("A batch came before the keys");
  const opened = await openBatch(form, batch);
  let answer: OpenedBatch[number][] = [];
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
