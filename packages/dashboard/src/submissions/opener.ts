import type { SubmissionToOpen } from "@sealpost/sdk";
import { startWorker } from "../browser/trusted-types.ts";
import { type FormToOpen, failBatch, type OpenedBatch } from "./open-batch.ts";
import workerUrl from "./open-worker.ts?worker&url";
import type { OpenAnswer, OpenRequest } from "./serve-batches.ts";

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
/** A worker has its next batch before it asks: the page that would give it may be drawing rows. */
const batchesAhead = 2;

/** How often a slot gets another worker for one that failed: one that does not load will not for the hundredth time either. */
const failuresMax = 2;

interface Slot {
  /** `undefined` after too many failures. */
  worker: Worker | undefined;
  failures: number;
  /** The worker opens the first of these now, and has the others. */
  batches: (readonly SubmissionToOpen[])[];
}

/** Started, and not at work yet. */
const spares = new Set<Worker>();

/** Starts the workers of an opener to come: while its key is still being looked for, nobody waits for them. */
export function prepareWorkers(): void {
  while (spares.size < countWorkers()) {
    const worker = startWorker(workerUrl);
    worker.onerror = () => spares.delete(worker);
    spares.add(worker);
  }
}

function takeWorker(): Worker {
  const [spare] = spares;
  if (spare === undefined) return startWorker(workerUrl);
  spares.delete(spare);
  return spare;
}

function countWorkers(): number {
  return Math.min(workersMax, navigator.hardwareConcurrency || 2);
}

/** Opens submissions in Web Workers, one per processor. */
export function createOpener({ take, onOpened, ...form }: OpenerOptions): Opener {
  let isStopped = false;
  const slots = Array.from({ length: countWorkers() }, () => {
    const slot: Slot = { worker: undefined, failures: 0, batches: [] };
    hire(slot);
    return slot;
  });

  function hire(slot: Slot): void {
    const worker = takeWorker();
    slot.worker = worker;
    worker.onmessage = ({ data }: MessageEvent<OpenAnswer>) => {
      if (isStopped || slot.worker !== worker) return;
      onOpened(data.opened);
      if (!data.isLast) return;
      slot.batches = slot.batches.slice(1);
      feed(slot);
    };
    // From the start: a script that does not load says so once, perhaps before there is anything to open.
    worker.onerror = () => {
      if (!isStopped && slot.worker === worker) replace(slot, worker);
    };
    worker.postMessage(form satisfies OpenRequest);
  }

  /** Its rows wait no longer, and another worker continues. */
  function replace(slot: Slot, worker: Worker): void {
    worker.terminate();
    slot.worker = undefined;
    const [begun = [], ...others] = slot.batches;
    onOpened(failBatch(begun));
    slot.batches = [];
    slot.failures++;
    if (slot.failures <= failuresMax) hire(slot);
    for (const batch of others) give(slot, batch);
    feed(slot);
  }

  function feed(slot: Slot): void {
    if (isStopped) return;
    if (slot.worker === undefined) {
      giveUp();
      return;
    }
    while (slot.batches.length < batchesAhead) {
      const batch = take(batchSize);
      if (batch.length === 0) return;
      give(slot, batch);
    }
  }

  function give(slot: Slot, batch: readonly SubmissionToOpen[]): void {
    if (slot.worker === undefined) {
      onOpened(failBatch(batch));
      return;
    }
    slot.batches.push(batch);
    slot.worker.postMessage({ batch } satisfies OpenRequest);
  }

  /** Without any worker, nothing is left to wait for. */
  function giveUp(): void {
    if (slots.some(({ worker }) => worker !== undefined)) return;
    for (let batch = take(batchSize); batch.length > 0; batch = take(batchSize)) onOpened(failBatch(batch));
  }

  return {
    wake: () => slots.forEach(feed),
    stop: () => {
      isStopped = true;
      for (const { worker } of slots) worker?.terminate();
    },
  };
}
