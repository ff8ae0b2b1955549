import type { OpeningKey, SubmissionToOpen } from "@sealpost/sdk";
import { type FormToOpen, failBatch, type OpenedBatch, openBatch } from "../submissions/open-batch.ts";
import type { Opener, OpenerOptions } from "../submissions/opener.ts";

/** A few for each processor: decrypting runs on other threads anyway, and the rest takes turns of a millisecond. */
const batchSize = 4;
const loopsMax = 16;

/** In the place of `submissions/opener.ts`: opens on the page itself, and tries keys that a service would tell apart. */
export function createOpener({ take, onOpened, ...form }: OpenerOptions): Opener {
  let isStopped = false;
  let loops = 0;
  const loopsWanted = Math.min(loopsMax, 2 * (navigator.hardwareConcurrency || 2));

  async function run(): Promise<void> {
    loops++;
    try {
      for (let batch = take(batchSize); batch.length > 0 && !isStopped; batch = take(batchSize)) {
        const given = batch;
        const opened = await openEach(form, given).catch(() => failBatch(given));
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

/**
 * First with the keys that say they are of this form and version. Then with all that do not name another form: a key from
 * before its form has no form's id, and one from a recovery sheet neither id nor version.
 */
async function openEach(form: FormToOpen, batch: readonly SubmissionToOpen[]): Promise<OpenedBatch> {
  const opened = await openBatch(form, batch);
  const left = batch.filter((_, index) => opened[index]?.[1].opened === false);
  if (left.length === 0) return opened;
  const keys = form.keys.filter(({ formId }) => formId === undefined || formId === form.formId).map(withoutLabels);
  const again = new Map(await openBatch({ ...form, keys }, left));
  return opened.map(([id, first]) => {
    const second = again.get(id);
    return [id, second?.opened ? second : first];
  });
}

function withoutLabels({ cryptoKey, fingerprint, hybrid }: OpeningKey): OpeningKey {
  if (hybrid === undefined) return { cryptoKey, fingerprint };
  const { decapsulationKey, fingerprint: hybridFingerprint } = hybrid;
  return { cryptoKey, fingerprint, hybrid: { decapsulationKey, fingerprint: hybridFingerprint } };
}
