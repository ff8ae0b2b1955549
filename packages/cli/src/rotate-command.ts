import { ApiError, keyFileName } from "@sealpost/sdk";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import {
  checkKeyTaken,
  completeKeyFile,
  fingerprintToPin,
  hybridOption,
  keepUnlessRefused,
  keyFileNote,
  makeKeys,
  proveKeyFile,
  publicHalves,
} from "./new-key-file.ts";
import { parseTime } from "./option-values.ts";
import { type NewKeys, reserveKeyFile } from "./private-key-files.ts";
import { formatJson, printable } from "./table.ts";

interface RotateOptions {
  readonly keyFile?: string;
  readonly hybrid?: boolean;
  readonly endOlder?: number;
  readonly json?: boolean;
}

export function addRotateCommand(forms: Command, context: Context): void {
  forms
    .command("rotate")
    .summary("give a form a new key pair made here")
    .description(
      `Gives a form a new key pair. Needs forms:write and forms:read.\n\n${keyFileNote}\n\n` +
        "Keep the older key files as well: what was sealed before, and what visitors with the page still open seal, needs them.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--key-file <path>", "where to write the private key (default: sealpost-<name>-v<version>.key.json)")
    .option(...hybridOption)
    .option(
      "--end-older <time>",
      "from when on older versions take nothing more: 2027-01-31, 2027-01-31T12:00Z or milliseconds (default: never)",
      parseTime,
    )
    .option("--json", "print the answer as JSON, as the API shows it, with keyFile added")
    .action((formId: string, options: RotateOptions) => rotateKeys(context, formId, options));
}

async function rotateKeys(context: Context, formId: string, options: RotateOptions): Promise<void> {
  const { output, signal } = context;
  const client = await connect(context);
  const [{ name, settings }, keys] = await Promise.all([
    client.forms.get(formId, { signal }),
    client.forms.keys(formId, { signal }),
  ]);
  const next = Math.max(...keys.map((key) => key.version)) + 1;
  const made = await makeKeys(options);
  const file = await reserveKeyFile(context, options.keyFile ?? keyFileName(name, next), made);
  const rotated = await keepUnlessRefused(context, file, () =>
    client.forms.rotateKeys(formId, { ...publicHalves(made), ...closingOf(next, options) }, { signal }),
  ).catch(explainRefusal);
  checkKeyTaken(made, rotated, file);
  const { keyVersion, rotatedAt: createdAt } = rotated;
  await completeKeyFile(file, made, { formId, formName: name, keyVersion, createdAt });
  await proveKeyFile(client, file, made, { formId, keyVersion }, { signal });
  if (options.json) return void output.write(`${formatJson({ ...rotated, keyFile: file.path }, 2)}\n`);
  say(context, `Rotated ${printable(name)} from key version ${rotated.previousKeyVersion} to ${keyVersion}.`);
  say(context, `Its new private key is in ${file.path}: keep a copy, and keep the older ones.`);
  if (settings.encryption) await sayPin(context, made);
  const hadHybrid = keys.find(({ version }) => version === rotated.previousKeyVersion)?.hybridPublicKey !== undefined;
  if (hadHybrid && made.hybrid === undefined)
    say(context, "The version before had a hybrid key, this one has none: --hybrid makes one.");
  output.write(`${printable(String(keyVersion))}\n`);
}

/** This command makes key files, and no next revision of an envelope. */
function explainRefusal(error: unknown): never {
  if (error instanceof ApiError && error.reason === "envelope_needed")
    throw new CommandError(
      "refused",
      "The form's keys are in an envelope, which this command can't change: rotate in the dashboard, under Keys",
    );
  throw error;
}

function closingOf(newest: number, { endOlder }: RotateOptions) {
  return endOlder === undefined ? {} : { closeKeyVersions: { below: newest, at: endOlder } };
}

async function sayPin(context: Context, made: NewKeys): Promise<void> {
  say(context, `A page that pins its key needs keyFingerprint: "${await fingerprintToPin(made)}".`);
  if (made.hybrid)
    say(
      context,
      "Give such a page the whole new snippet, not the fingerprint alone: an older script does not know hybrid keys, and sends nothing.",
    );
}
