import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { writeSecretFile } from "./identity-file.ts";
import { sheetOption, type UnlockOptions, unlockPersonalKey, wordsOption } from "./personal-key.ts";
import { printable } from "./printable.ts";

interface UnlockCommandOptions extends UnlockOptions {
  readonly output?: string;
}

export function addUnlockCommand(keys: Command, context: Context): void {
  keys
    .command("unlock")
    .summary("open your personal key on this machine")
    .description(
      "Opens a sealed copy of your personal key with its six words, a passphrase or its recovery sheet, on this machine: the server learns nothing. Without --output, it only shows that they open it. Needs a session.",
    )
    .option(...wordsOption)
    .option(...sheetOption)
    .option("--output <file>", "write the key to a new file that only you can read, to give with --identity")
    .addHelpText(
      "after",
      `
The file of --output is your whole key, unsealed. Commands that need it ask for the
words themselves, so a file is only for many of them in a row: delete it afterwards.
Programs of age take it with -i.

Examples:
  $ sealpost keys unlock
  $ sealpost keys unlock --output key.txt`,
    )
    .action((options: UnlockCommandOptions) => unlock(context, options));
}

async function unlock(context: Context, { output, ...options }: UnlockCommandOptions): Promise<void> {
  const { client } = await connectWithSession(context);
  const { key, copyName } = await unlockPersonalKey(context, client, options);
  if (output === undefined) return say(context, `This opens your key. The copy is called ${printable(copyName)}.`);
  const { formatPersonalKey } = await import("@sealpost/envelope");
  const path = await writeSecretFile(context, output, formatPersonalKey(key, context.now()));
  say(context, `Your whole key is in ${path}, unsealed: delete it when you are done.`);
}
