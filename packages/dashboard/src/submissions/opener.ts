import type { SubmissionToOpen } from "@sealpost/sdk";
import { startWorker } from "../ui/trusted-types.ts";
import { type FormToOpen, failBatch, type OpenedBatch } from "./open-batch.ts";
import type { OpenAnswer, OpenRequest } from "./open-worker.ts";
import workerUrl from "./open-worker.ts?worker&url";

export interface OpenerOptions extends FormToOpen {
  /** The next submissions to open, most wanted first; empty when there is nothing to do now. Taken ones are not given again. */
  readonly take: (count: number) => readonly SubmissionToOpen[];
  readonly onOpened: (opened: OpenedBatch) => void;
}

export interface Opener {
  /** Says that `take` may have something again. */
  wake(): void;
  stop(): void;
}

/** Small enough that rows scrolled into view wait for little, large enough that messages cost nothing compared to RSA. */
const batchSize = 12;
const workersMax = 8;

/** Opens submissions in Web Workers, one per processor. */
export function createOpener({ take, onOpened, ...form }: OpenerOptions): Opener {
  const count = Math.min(workersMax, navigator.hardwareConcurrency || 2);
  const workers = Array.from({ length: count }, () => {
    const worker = startWorker(workerUrl);
    worker.postMessage(form satisfies OpenRequest);
    return { worker, isBusy: false };
  });

  function feed(slot: (typeof workers)[number]): void {
    if (slot.isBusy) return;
    const batch = take(batchSize);
    if (batch.length === 0) return;
    slot.isBusy = true;
    slot.worker.onmessage = ({ data }: MessageEvent<OpenAnswer>) => {
      onOpened(data.opened);
      if (!data.isLast) return;
      slot.isBusy = false;
      feed(slot);
    };
    // A worker that fails must not leave its rows waiting for ever.
    slot.worker.onerror = () => {
      slot.isBusy = false;
      onOpened(failBatch(batch));
    };
    slot.worker.postMessage({ batch } satisfies OpenRequest);
  }

  return {
    wake: () => workers.forEach(feed),
    stop: () => {
      for (const { worker } of workers) worker.terminate();
    },
  };
}
