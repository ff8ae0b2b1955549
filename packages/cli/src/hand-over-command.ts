import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import type { Context } from "./context.ts";
import type { WriterOptions } from "./envelope-writer.ts";
import { collect } from "./option-values.ts";
import { printable } from "./printable.ts";
import { confirmUnopened, expectNameOption, type NameOptions, unsignedNameOption } from "./signed-form-name.ts";
import { addWriterOptions } from "./write-form.ts";

interface HandOverOptions extends WriterOptions, NameOptions {
  readonly unsignedName?: boolean;
}

export function addHandOverCommand(forms: Command, context: Context): void {
  addWriterOptions(forms.command("hand-over"))
    .summary("hand a form to another organization that you own")
    .description(
      "Hands a form with its submissions, keys, webhook and settings to another organization, and prints the form's id, which stays the same: pages need no change. " +
        "Members of the former organization lose access. You have to own both organizations. A form under legal hold stays. Needs a session that began within the last hour (`sealpost login`), not an API key.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .argument("<organization-id>", "id of the other organization, acc_…")
    .option(...expectNameOption, collect)
    .option(...unsignedNameOption)
    .action((formId: string, organizationId: string, options: HandOverOptions) =>
      handOver(context, formId, organizationId, options),
    );
}

async function handOver(
  context: Context,
  formId: string,
  organizationId: string,
  options: HandOverOptions,
): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  await confirmUnopened(context, formId, options);
  await client.forms.handOver(formId, organizationId, { signal });
  output.write(`${printable(formId)}\n`);
}
