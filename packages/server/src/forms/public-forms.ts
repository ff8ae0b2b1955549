import type { Clock } from "../time/clock.ts";
import type { FormStore, PublicForm } from "./form-store.ts";

/** Forms as the public endpoints need them, remembered for a moment: every submission asks. */
export interface PublicForms {
  find(formId: string): Promise<PublicForm | undefined>;
  /** The next `find` asks the database. */
  forget(formId: string): void;
}

const milliseconds = 1000;
const formsMax = 10_000;

/**
 * What is remembered may be a second old. That decides nothing: a submission is committed only if its form is still what
 * it was checked against (`ingest.ts`), in whatever process it was changed.
 */
export function createPublicForms(forms: FormStore, clock: Clock): PublicForms {
  const remembered = new Map<string, { readonly found: PublicForm; readonly until: number }>();
  return {
    async find(formId) {
      const entry = remembered.get(formId);
      if (entry !== undefined && clock.now() < entry.until) return entry.found;
      const found = await forms.findPublic(formId);
      if (found === undefined) remembered.delete(formId);
      else {
        if (remembered.size >= formsMax) remembered.clear();
        remembered.set(formId, { found, until: clock.now() + milliseconds });
      }
      return found;
    },
    forget: (formId) => void remembered.delete(formId),
  };
}
