import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { compareNames, describeNames, findName } from "./signed-form-name.ts";
import { formatJson } from "./table.ts";
import { addWriterOptions } from "./write-form.ts";

interface NameOptions extends WriterOptions {
  readonly sign?: boolean;
  readonly restore?: boolean;
  readonly json?: boolean;
}

export function addNameCommand(forms: Command, context: Context): void {
  addWriterOptions(forms.command("name"))
    .summary("show what a form's envelope calls it, and make both names the same")
    .description(
      "Shows the name that is signed in a form's envelope, and the one that the server shows. The server's alone says nothing about whose answers the form takes. Needs forms:read and submissions:read; to change one, forms:write, and for the envelope a personal key that owners or managers have.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--sign", "take the server's name over into the envelope, in a new revision")
    .option("--restore", "have the server call the form as its envelope does")
    .option("--json", "print both names as JSON")
    .action((formId: string, options: NameOptions) => nameForm(context, formId, options));
}

async function nameForm(context: Context, formId: string, { sign, restore, json, ...options }: NameOptions) {
  if (sign && restore) throw new CommandError("usage", "Give --sign or --restore, not both");
  const { client, writer, signal } = await openWriter(context, options);
  const opened = await writer.openWhole(formId, { signal }).catch(refuse);
  const { name: served } = await client.forms.get(formId, { signal });
  const signed = (await findName(opened)) ?? formId;
  const names = await compareNames(signed, formId, served);
  if (!names.isSame && sign)
    await writer.changeReaders(formId, { add: [], remove: [], formName: served }, { signal }).catch(refuse);
  if (!names.isSame && restore) await client.forms.update(formId, { name: signed }, { signal });
  const one = sign ? served : restore ? signed : undefined;
  const now = names.isSame || one === undefined ? names : { signed: one, served: one, isSame: true };
  if (json) return void context.output.write(`${formatJson({ signed: now.signed, server: now.served }, 2)}\n`);
  say(context, `${describeNames(formId, now)}.`);
}

function refuse(error: unknown): never {
  throw toProblemError(error);
}
