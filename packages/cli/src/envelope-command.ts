import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { writeSecretFile } from "./identity-file.ts";
import { parseCount } from "./option-values.ts";

interface EnvelopeOptions {
  readonly form: string;
  readonly output?: string;
  readonly keyVersion?: number;
  readonly revision?: number;
}

export function addEnvelopeCommand(keys: Command, context: Context): void {
  keys
    .command("envelope")
    .summary("save a form's envelope, still sealed")
    .description(
      "Writes the newest revision of a form's envelope to a new file, still sealed, as a backup or for other programs. Opens nothing. Needs submissions:read.",
    )
    .requiredOption("--form <form-id>", "id of the form, form_…")
    .option("--output <file>", "where to write it (default: <form-id>.v<key-version>.age)")
    .option("--key-version <number>", "lowest key version of the envelope, if the form has several", parseCount)
    .option("--revision <number>", "an older revision, if the server still has it", parseCount)
    .addHelpText(
      "after",
      `
It is an ordinary file of age (age-encryption.org), for its readers:
  $ age -d -i identity.txt form_….v1.age

Example:
  $ sealpost keys envelope --form form_… --output contact.age`,
    )
    .action((options: EnvelopeOptions) => saveEnvelope(context, options));
}

async function saveEnvelope(context: Context, { form: formId, output, keyVersion, revision }: EnvelopeOptions) {
  const { signal } = context;
  const client = await connect(context);
  const request = { signal, retry: true };
  const found = await client.envelopes.list(formId, request);
  const versions = found.map(({ lowestVersion }) => lowestVersion);
  if (found.length === 0) throw new CommandError("notFound", "The form has no envelope");
  if (keyVersion === undefined && found.length > 1)
    throw new CommandError(
      "usage",
      `The form has several envelopes: choose one with --key-version ${versions.join(", ")}`,
    );
  const [only = 0] = versions;
  const lowest = keyVersion ?? only;
  const file = await client.envelopes.get(formId, lowest, revision === undefined ? {} : { revision }, request);
  if (file === undefined) throw new CommandError("notFound", "The form has no such envelope");
  const path = await writeSecretFile(context, output ?? `${formId}.v${lowest}.age`, file);
  say(context, `Written to ${path}, still sealed: ${file.length} bytes`);
}
