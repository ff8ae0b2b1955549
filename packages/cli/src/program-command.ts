import { cleanFileName } from "@sealpost/sdk";
import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { writeSecretFile } from "./identity-file.ts";
import { formatJson } from "./table.ts";

interface ProgramOptions {
  readonly output?: string;
  readonly json?: boolean;
}

export function addProgramCommand(keys: Command, context: Context): void {
  keys
    .command("program")
    .summary("make the identity of a program that reads: a receiver, or this command line on a server")
    .description(
      "Makes an age identity for a program, writes it to a new file that only you can read, and prints its recipient. " +
        "An owner or manager adds the recipient to the organization's list of members and to the readers of forms. Asks no server.",
    )
    .argument("<name>", "name of the program, used in the file name")
    .option("--output <file>", "where to write the identity (default: sealpost-<name>.identity.txt)")
    .option("--json", "print the recipient and the path as JSON")
    .addHelpText(
      "after",
      `
What the person who adds the recipient gets in return is the head of the list of
members, NUMBER-HASH. Give it at the first use. From then on the newest list and
envelopes are remembered next to the identity, so that a server can't show older
ones.

Example:
  $ sealpost keys program reports
  $ sealpost submissions export form_… --identity sealpost-reports.identity.txt \\
      --list 12-HASH --output`,
    )
    .action((name: string, options: ProgramOptions) => makeProgram(context, name, options));
}

async function makeProgram(context: Context, name: string, { output, json }: ProgramOptions): Promise<void> {
  // Loaded when it is needed: every command starts sooner without.
  const { generateReadingKey } = await import("@sealpost/envelope");
  const { identity, recipient } = await generateReadingKey();
  const label = cleanFileName(name).replaceAll(" ", "-").toLowerCase();
  if (name.trim() === "") throw new CommandError("usage", "The program needs a name");
  const path = output ?? `sealpost-${label}.identity.txt`;
  const created = new Date(context.now()).toISOString().replace(/\.\d+/, "");
  const text = `# created: ${created}\n# public key: ${recipient}\n${identity}\n`;
  const written = await writeSecretFile(context, path, text);
  if (json) return void context.output.write(`${formatJson({ recipient, identityFile: written }, 2)}\n`);
  say(
    context,
    `The identity is in ${written}: it opens what the program reads, so keep it like a key. Its recipient, for an owner or manager of the organization:`,
  );
  context.output.write(`${recipient}\n`);
}
