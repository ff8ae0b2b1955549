import { isDeepStrictEqual } from "node:util";
import type { PublicForm } from "../forms/form-store.ts";
import type { PublicForms } from "../forms/public-forms.ts";
import { formNotFound, Problem } from "../problems/problem.ts";
import type { IngestOutcome } from "./ingest.ts";

/** A hook before the body is read: nobody uploads a megabyte to a form that does not exist. */
export function createRequireForm(publicForms: PublicForms) {
  return async ({ params }: { readonly params: unknown }): Promise<void> => {
    const id = typeof params === "object" && params !== null && "form_id" in params ? params.form_id : undefined;
    if (typeof id !== "string" || (await publicForms.find(id)) === undefined) throw formNotFound();
  };
}

const tries = 5;

export type SettledOutcome = Exclude<
  IngestOutcome,
  { readonly outcome: "form_changed" } | { readonly outcome: "form_gone" }
>;

/**
 * Runs `submit`, which checks a submission against its form and ingests it. When the form was changed in between, once
 * more with the current form: nothing is ever stored, or refused, for settings that no longer apply.
 */
export async function checkAndIngest(
  publicForms: PublicForms,
  formId: string,
  submit: (found: PublicForm) => Promise<IngestOutcome>,
): Promise<SettledOutcome> {
  let found = await load();
  for (let attempt = 1; attempt <= tries; attempt++) {
    try {
      const outcome = await submit(found);
      if (outcome.outcome === "form_gone") throw formNotFound();
      if (outcome.outcome !== "form_changed") return outcome;
      publicForms.forget(formId);
      found = await load();
    } catch (error) {
      // No setting of a form makes the service unavailable.
      if (!(error instanceof Problem) || error.code === "not_found" || error.code === "unavailable") throw error;
      // Refused, perhaps for what another process has changed in the last second.
      publicForms.forget(formId);
      const now = await load();
      if (isDeepStrictEqual(now, found)) throw error;
      found = now;
    }
  }
  throw new Problem("unavailable", "The form is being changed, please try again", { retryAfter: 1 });

  async function load(): Promise<PublicForm> {
    const form = await publicForms.find(formId);
    if (form === undefined) throw formNotFound();
    return form;
  }
}
