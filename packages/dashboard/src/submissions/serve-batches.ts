import type { SubmissionToOpen } from "@sealpost/sdk";
import type { FormToOpen, OpenedBatch, openBatch } from "./open-batch.ts";

/** First the form and its keys (CryptoKeys that can't be exported), then batches, answered one after the other. */
export type OpenRequest = FormToOpen | { readonly batch: readonly SubmissionToOpen[] };

export interface OpenAnswer {
  readonly opened: OpenedBatch;
  /** Whether the batch is done. */
  readonly isLast: boolean;
}

/** Base64 of as much as the page can take from one message without standing still; one submission may be more. */
const answerCharactersMax = 500_000;

/** Makes this worker open batches. If opening throws, the worker reports an error, so its owner knows that no answer comes. */
export function serveBatches(open: typeof openBatch): void {
  let form: FormToOpen | undefined;
  let turn = Promise.resolve();

  async function begin(batch: readonly SubmissionToOpen[]): Promise<OpenedBatch> {
    if (form === undefined) throw new Error("A batch came before the keys");
    return open(form, batch);
  }

  self.onmessage = ({ data }: MessageEvent<OpenRequest>) => {
    if ("formId" in data) {
      form = data;
      return;
    }
    // At once: the thread of the private key would wait while the last ones of the batch before are read.
    const opening = begin(data.batch);
    turn = Promise.allSettled([turn, opening])
      .then(() => opening)
      .then((opened) => {
        for (const message of split(opened, data.batch)) self.postMessage(message);
      })
      .catch(reportError);
  };
}

function* split(opened: OpenedBatch, batch: readonly SubmissionToOpen[]): Generator<OpenAnswer, void> {
  let part: OpenedBatch[number][] = [];
  let characters = 0;
  for (const [index, one] of opened.entries()) {
    const payload = batch[index]?.payload;
    const length = payload !== undefined && "data" in payload ? payload.data.length : 0;
    if (part.length > 0 && characters + length > answerCharactersMax) {
      yield { opened: part, isLast: false };
      part = [];
      characters = 0;
    }
    part.push(one);
    characters += length;
  }
  yield { opened: part, isLast: true };
}
