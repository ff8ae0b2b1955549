import { nameKeyLogHead } from "@sealpost/sdk/envelopes";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import { openForm } from "./open-form.ts";

/** Names the head of a key log that was just begun, or `null` for one that was given up, in the form's newest envelope, where the person may. */
export async function writeKeyLogHead(
  context: EnvelopeContext,
  formId: FormId,
  keyLog: KeyLogHead | null,
): Promise<void> {
  const opened = await openForm(context, formId);
  // With what the envelopes name of it, which may be newer than what this browser has seen.
  if (keyLog === null) await context.heads.forgetKeyLog(formId);
  if (opened.kind !== "opened" || opened.list.kind !== "checked") return;
  await nameKeyLogHead(context, { ...opened, list: opened.list }, formId, keyLog);
}
