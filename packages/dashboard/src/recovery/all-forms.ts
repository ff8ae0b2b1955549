import { client } from "../api/client.ts";
import type { FormToSweep } from "../envelopes/sweep-progress.tsx";

/** All forms of the organization that the person sees. */
export async function loadAllForms(): Promise<readonly FormToSweep[]> {
  const forms: FormToSweep[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    const page: Awaited<ReturnType<typeof client.forms.list>> = await client.forms.list({
      limit: 100,
      ...(cursor !== "" && { cursor }),
    });
    forms.push(...page.forms);
    cursor = page.nextCursor;
  }
  return forms;
}
