import type { PublicForm } from "../forms/form-store.ts";
import type { PublicForms } from "../forms/public-forms.ts";
import { Problem } from "../problem.ts";
import type { IngestOutcome } from "./ingest.ts";

const tries = 5;

export type SettledOutcome = Exclude<
  IngestOutcome,
  { readonly outcome: "form_changed" } | { readonly outcome: "form_gone" }
>;

/**
 * Runs `submit`, which checks a submission against its form and ingests it. When the form was changed in between, once
 * more with the form as it is now: nothing is ever stored against settings that no longer hold.
 */
export async function checkAndIngest(
  publicForms: PublicForms,
  formId: string,
  submit: (found: PublicForm) => Promise<IngestOutcome>,
): Promise<SettledOutcome> {
  for (let attempt = 1; attempt <= tries; attempt++) {
    const found = await publicForms.find(formId);
    if (found === undefined) throw new Problem("not_found", "Form not found");
    const outcome = await submit(found);
    if (outcome.outcome === "form_gone") throw new Problem("not_found", "Form not found");
    if (outcome.outcome !== "form_changed") return outcome;
    publicForms.forget(formId);
  }
  throw new Problem("unavailable", "The form is being changed, please try again", { retryAfter: 1 });
}
