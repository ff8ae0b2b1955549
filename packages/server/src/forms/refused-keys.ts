import type { FormStore, PublicForm } from "./form-store.ts";
import type { RefusedVisitors } from "./refused-visitors.ts";

/** Remembers which forms have pages that are refused for their old snippet: visitors can't seal there. */
export interface RefusedKeys {
  /** A page says that it pins these fingerprints, and that the form has none of them. Anybody can say so: only former keys count. */
  note(form: PublicForm, fingerprints: readonly string[]): Promise<void>;
}

export interface RefusedKeysDependencies {
  readonly forms: Pick<FormStore, "isFormer">;
  readonly refusedVisitors: Pick<RefusedVisitors, "note">;
}

export function createRefusedKeys({ forms, refusedVisitors }: RefusedKeysDependencies): RefusedKeys {
  return {
    async note(found, fingerprints) {
      const { form, fingerprint, hybrid } = found;
      // The page accepts the newest key: whatever it was refused for, an old snippet was not the reason.
      if (fingerprints.includes(fingerprint) || (hybrid && fingerprints.includes(hybrid.fingerprint))) return;
      if (await forms.isFormer(form.id, form.keyVersion, fingerprints)) await refusedVisitors.note(found, "old_key");
    },
  };
}
