import { type GivenUpKeyLog, giveUpKeyLog as giveUp, nameKeyLogHead } from "@sealpost/sdk/envelopes";
import type { FormId, KeyLogHead } from "@sealpost/wire";
import type { EnvelopeContext } from "./context.ts";
import { openForm } from "./open-form.ts";

/** Names the head of a key log that was just begun in the form's newest envelope, where the person may. */
export async function writeKeyLogHead(context: EnvelopeContext, formId: FormId, keyLog: KeyLogHead): Promise<void> {
  const form = await openToName(context, formId);
  if (form) await nameKeyLogHead(context, form, formId, keyLog);
}

/** Gives up the form's key log, and says so in its newest envelope, where the person may. */
export function giveUpKeyLog(context: EnvelopeContext, formId: FormId): Promise<GivenUpKeyLog> {
  return giveUp(context, formId, { client: context, open: () => openToName(context, formId) });
}

async function openToName(context: EnvelopeContext, formId: FormId) {
  const opened = await openForm(context, formId);
  return opened.kind === "opened" && opened.list.kind === "checked" ? { ...opened, list: opened.list } : undefined;
}
