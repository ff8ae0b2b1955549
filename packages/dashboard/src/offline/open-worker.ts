import type { OpeningKey, SubmissionToOpen } from "@sealpost/sdk";
import { type FormToOpen, type OpenedBatch, openBatch } from "../submissions/open-batch.ts";
import { serveBatches } from "../submissions/serve-batches.ts";

// In the place of `submissions/open-worker.ts`: tries keys that a service would tell apart.
serveBatches(openEach);

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
