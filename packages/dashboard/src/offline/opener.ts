import { failBatch, openBatch } from "../submissions/open-batch.ts";
import type { Opener, OpenerOptions } from "../submissions/opener.ts";

/** A few for each processor: decrypting runs on other threads anyway, and the rest takes turns of a millisecond. */
const batchSize = 4;
const loopsMax = 16;

/**
 * In the place of `submissions/opener.ts`: opens on the page itself. A worker of a page from the disk gets no CryptoKey; it
 * would arrive as null (Chromium 156).
 */
export function createOpener({ take, onOpened, ...form }: OpenerOptions): Opener {
  let isStopped = false;
  let loops = 0;
  const loopsWanted = Math.min(loopsMax, 2 * (navigator.hardwareConcurrency || 2));

  async function run(): Promise<void> {
    loops++;
    try {
      for (let batch = take(batchSize); batch.length > 0 && !isStopped; batch = take(batchSize)) {
        const given = batch;
        const opened = await openBatch(form, given).catch(() => failBatch(given));
        if (!isStopped) onOpened(opened);
      }
    } finally {
      loops--;
    }
  }

  return {
    wake() {
      while (loops < loopsWanted && !isStopped) {
        const before = loops;
        void run();
        // It found nothing to do.
        if (loops === before) break;
      }
    },
    stop() {
      isStopped = true;
    },
  };
}
