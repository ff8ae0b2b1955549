import { buffer } from "node:stream/consumers";
import type { Command } from "commander";
import { parseEvent } from "../event.ts";
import { openSubmission } from "../receiver.ts";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { collect } from "./option-values.ts";
import { readPrivateKeys } from "./private-key-files.ts";
import { formatJson } from "./table.ts";

export function addOpenCommand(webhooks: Command, context: Context): void {
  webhooks
    .command("open")
    .summary("open the body of a webhook")
    .description(
      "Reads the body of a submission.created webhook from standard input, and prints what the visitor typed as a line " +
        "of JSON. Asks no server. Does not tell who sent the body: verify its signature first.",
    )
    .requiredOption("--key <file>", "private key that opens; repeatable", collect)
    .addHelpText("after", "\nExample:\n  $ sealpost webhooks open --key sealpost-contact-v1.key.json < body.json")
    .action(({ key }: { readonly key: readonly string[] }) => openBody(context, key));
}

async function openBody(context: Context, keyPaths: readonly string[]): Promise<void> {
  const { input, output } = context;
  const keys = await readPrivateKeys(context, keyPaths);
  if (input.isTTY) say(context, "Waiting for the body on standard input (end with Ctrl-D)");
  const event = parseEvent(await buffer(input));
  if (typeof event === "string") throw new CommandError("usage", event);
  if (event.event !== "submission.created")
    throw new CommandError("usage", `A ${event.event} event holds nothing that could be opened`);
  const opened = await openSubmission(event.form.id, event.submission, keys);
  if (!opened.opened) throw new CommandError("notOpened", opened.message);
  output.write(`${formatJson(opened.fields)}\n`);
}
