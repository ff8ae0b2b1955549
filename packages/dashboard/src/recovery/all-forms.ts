import { client } from "../api/client.ts";
import type { FormToSweep } from "../readers/sweep-progress.tsx";
import { collectForms } from "./collect-forms.ts";

/** All forms of the organization that the person sees. */
export function loadAllForms(): Promise<readonly FormToSweep[]> {
  return collectForms((query) => client.forms.list(query));
}
