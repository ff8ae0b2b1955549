import { buffer } from "node:stream/consumers";
import { openSubmission, parseEvent } from "@sealpost/sdk";
import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { watchHybridKeys } from "./hybrid-differences.ts";
import { collect, plainOption } from "./option-values.ts";
import { passphraseOption } from "./passphrase.ts";
import { readPrivateKeys } from "./private-key-files.ts";
import { formatJson } from "./table.ts";

interface OpenOptions {
  readonly key: readonly string[];
  readonly passphraseFile?: string;
  readonly plain?: boolean;
}

export function addOpenCommand(webhooks: Command, context: Context): void {
  webhooks
    .command("open")
    .summary("open the body of a webhook")
    .description(
      "Reads the body of a submission.created webhook from standard input, and prints what the visitor typed as a line " +
        "of JSON. Asks no server. Does not tell who sent the body: verify its signature first. A body that nobody sealed is " +
        "not printed without --plain; the exit code is then 8.",
    )
    .requiredOption("--key <file>", "private key that opens; repeatable", collect)
    .option(...passphraseOption)
    .option(...plainOption)
    .addHelpText("after", "\nExample:\n  $ sealpost webhooks open --key sealpost-contact-v1.key.json < body.json")
    .action((options: OpenOptions) => openBody(context, options));
}

async function openBody(context: Context, options: OpenOptions): Promise<void> {
  const { key: keyPaths, passphraseFile, plain = false } = options;
  const { input, output } = context;
  if (passphraseFile === "-")
    throw new CommandError("usage", "--passphrase-file must name a file here: the body comes from standard input");
  const keys = await readPrivateKeys(context, keyPaths, passphraseFile);
  if (input.isTTY) say(context, "Waiting for the body on standard input (end with Ctrl-D)");
  const event = parseEvent(await buffer(input));
  if (typeof event === "string") throw new CommandError("usage", event);
  if (event.event !== "submission.created")
    throw new CommandError(
      "usage",
      `A ${event.event === "unknown" ? event.name : event.event} event holds nothing that could be opened`,
    );
  const opened = await openSubmission(event.form.id, event.submission, keys, undefined, { acceptPlain: plain });
  watchHybridKeys(context, () => keys)(event.submission, opened);
  if (!opened.opened) throw new CommandError(opened.sealed ? "notOpened" : "notSealed", opened.message);
  if (!opened.sealed) say(context, "Nobody sealed it: the server could read it, and could have made it up");
  output.write(`${formatJson(opened.fields)}\n`);
}
