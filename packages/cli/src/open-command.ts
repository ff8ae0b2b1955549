import { buffer } from "node:stream/consumers";
import { openSubmission, parseEvent } from "@sealpost/sdk";
import { exactFieldsOf } from "@sealpost/wire";
import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { watchHybridKeys } from "./hybrid-differences.ts";
import { collect, plainOption } from "./option-values.ts";
import { passphraseOption } from "./passphrase.ts";
import { readPrivateKeys } from "./private-key-files.ts";
import { readEnvelopes } from "./saved-envelopes.ts";
import { formatJson } from "./table.ts";

interface OpenOptions {
  readonly key?: readonly string[];
  readonly identity?: string;
  readonly envelope?: readonly string[];
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
    .option("--key <file>", "private key that opens; repeatable", collect)
    .option("--identity <file>", "identity of a reader, which opens --envelope")
    .option("--envelope <file>", "envelope that keys envelope saved; repeatable", collect)
    .option(...passphraseOption)
    .option(...plainOption)
    .addHelpText(
      "after",
      `
An envelope is opened without the list of members here, so nobody checks who wrote it:
take one that you have saved yourself.

Examples:
  $ sealpost webhooks open --key sealpost-contact-v1.key.json < body.json
  $ sealpost webhooks open --identity sealpost-reports.identity.txt --envelope contact.age < body.json`,
    )
    .action((options: OpenOptions) => openBody(context, options));
}

async function openBody(context: Context, options: OpenOptions): Promise<void> {
  const { key: keyPaths = [], identity, envelope = [], passphraseFile, plain = false } = options;
  const { input, output } = context;
  if (passphraseFile === "-")
    throw new CommandError("usage", "--passphrase-file must name a file here: the body comes from standard input");
  if ((identity === undefined) !== (envelope.length === 0))
    throw new CommandError("usage", "--identity and --envelope go together");
  if (keyPaths.length === 0 && identity === undefined)
    throw new CommandError("usage", "Give a private key with --key, or --identity and --envelope");
  const files = await readPrivateKeys(context, keyPaths, passphraseFile);
  const enclosed = identity === undefined ? [] : await readEnvelopes(context, identity, envelope, passphraseFile);
  const keys = [...files, ...enclosed];
  if (input.isTTY) say(context, "Waiting for the body on standard input (end with Ctrl-D)");
  const event = parseEvent(await buffer(input));
  if (typeof event === "string") throw new CommandError("usage", event);
  if (event.event !== "submission.created")
    throw new CommandError(
      "usage",
      `A ${event.event === "unknown" ? event.name : event.event} event contains nothing that can be opened`,
    );
  const opened = await openSubmission(event.form.id, event.submission, keys, undefined, { acceptPlain: plain });
  watchHybridKeys(context, () => keys)(event.submission, opened);
  if (!opened.opened) throw new CommandError(opened.sealed ? "notOpened" : "notSealed", opened.message);
  if (!opened.sealed) say(context, "Nobody sealed it: the server could read it, and could have made it up");
  if (opened.sealpost !== undefined)
    say(context, "The page has sealed something along with these answers that this version does not show: update it");
  output.write(`${formatJson(exactFieldsOf(opened))}\n`);
}
