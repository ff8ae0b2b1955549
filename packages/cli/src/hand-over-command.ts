import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import type { Context } from "./context.ts";
import { printable } from "./printable.ts";

export function addHandOverCommand(forms: Command, context: Context): void {
  forms
    .command("hand-over")
    .summary("hand a form to another organization that you own")
    .description(
      "Hands a form with its submissions, keys, webhook and settings to another organization, and prints the form's id, which stays the same: pages need no change. " +
        "Members of the former organization lose access. You have to own both organizations. A form under legal hold stays. Needs a session that began within the last hour (`sealpost login`), not an API key.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .argument("<organization-id>", "id of the other organization, acc_…")
    .action((formId: string, organizationId: string) => handOver(context, formId, organizationId));
}

async function handOver(context: Context, formId: string, organizationId: string): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  await client.forms.handOver(formId, organizationId, { signal });
  output.write(`${printable(formId)}\n`);
}
