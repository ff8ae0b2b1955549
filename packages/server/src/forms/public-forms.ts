import type { Clock } from "../time/clock.ts";
import type { FormStore, PublicForm } from "./form-store.ts";

/** Forms as the public endpoints need them, remembered for a moment: every submission asks. */
export interface PublicForms {
  find(formId: string): Promise<PublicForm | undefined>;
  /** The next `find` asks the database. */
  forget(formId: string): void;
}

const milliseconds = 1000;
/** Most characters of remembered forms: one may allow fifty long origins. */
const sizeMax = 32 * 1_048_576;
/** In addition to what is in its columns. */
const entrySize = 1000;

/**
 * What is remembered may be a second old. That decides nothing: a submission is committed only if its form is still what
 * it was checked against (`ingest.ts`), in whatever process it was changed.
 */
export function createPublicForms(
  forms: Pick<FormStore, "findPublic">,
  clock: Clock,
  sizeLimit: number = sizeMax,
): PublicForms & { readonly size: () => number } {
  /** In the order in which they were found. */
  const remembered = new Map<string, { readonly found: PublicForm; readonly until: number; readonly size: number }>();
  let size = 0;

  function forget(formId: string): void {
    size -= remembered.get(formId)?.size ?? 0;
    remembered.delete(formId);
  }

  function remember(formId: string, found: PublicForm): void {
    const now = clock.now();
    const entry = { found, until: now + milliseconds, size: JSON.stringify(found).length + entrySize };
    remembered.set(formId, entry);
    size += entry.size;
    for (const [id, { until }] of remembered) {
      // One from later than now was written by a clock that was put back.
      if (size <= sizeLimit && now < until && until <= now + milliseconds) return;
      forget(id);
    }
  }

  return {
    async find(formId) {
      const entry = remembered.get(formId);
      if (entry !== undefined && clock.now() < entry.until) return entry.found;
      const found = await forms.findPublic(formId);
      forget(formId);
      if (found !== undefined) remember(formId, found);
      return found;
    },
    forget,
    size: () => size,
  };
}
