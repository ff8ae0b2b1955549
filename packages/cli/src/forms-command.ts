import { type CallOptions, type Client, type FormToCreate, keyFileName } from "@sealpost/sdk";
import type { Command } from "commander";
import { addBringBackCommand } from "./bring-back-command.ts";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { addEndVersionsCommand } from "./end-versions-command.ts";
import { findSeenHeads } from "./envelope-keys.ts";
import { hasWriterOptions, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { addFormSettingsCommand } from "./form-settings-command.ts";
import { addHandOverCommand } from "./hand-over-command.ts";
import { addHoldCommands } from "./hold-command.ts";
import { addKeyLogCommands, sayKeyLog } from "./key-log-command.ts";
import { expectKeyOption, type KnownOptions } from "./known-members.ts";
import { addLookAtCommand } from "./look-at-command.ts";
import { addNameCommand } from "./name-command.ts";
import {
  checkKeyTaken,
  completeKeyFile,
  findMadeKey,
  fingerprintToPin,
  hybridOption,
  keepUnlessRefused,
  keyFileNote,
  makeKeys,
  proveKeyFile,
  publicHalves,
} from "./new-key-file.ts";
import { collectList } from "./option-values.ts";
import { howToPin, pinSnippet } from "./pin-snippet.ts";
import { printable } from "./printable.ts";
import { type NewKeys, reserveKeyFile } from "./private-key-files.ts";
import { describeRefused } from "./refused-visitors.ts";
import { addRotateCommand } from "./rotate-command.ts";
import { addShowFormCommand } from "./show-form-command.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";
import { addWriterOptions, createWithEnvelope, envelopeNote } from "./write-form.ts";

interface CreateOptions extends WriterOptions, KnownOptions {
  readonly envelope?: boolean;
  readonly reader?: readonly string[];
  readonly organization?: string;
  readonly keyFile?: string;
  readonly webhookUrl?: string;
  readonly allowedOrigin?: readonly string[];
  readonly piiStrip?: boolean;
  readonly encryption: boolean;
  readonly hybrid?: boolean;
  readonly json?: boolean;
}

export function addFormsCommands(program: Command, context: Context): void {
  const forms = program
    .command("forms")
    .summary("list, show and create forms, change their settings, rotate their keys, hand them over, hold them")
    .description("Manages forms.");

  forms
    .command("list")
    .summary("list the account's forms, newest first")
    .description("Lists all forms of the account, newest first. Needs the permission forms:read.")
    .option("--json", "print the forms as a JSON array, as the API shows them")
    .action((options: { json?: boolean }) => listForms(context, options));

  addWriterOptions(forms.command("create"))
    .summary("create a form with a key pair made here")
    .description(
      "Creates a form and prints the HTML to paste into its page. Needs forms:write and forms:read.\n\n" +
        `${keyFileNote}\n\nWith --envelope there is no such file. ${envelopeNote} Needs a personal key that owners or managers have, and submissions:read.`,
    )
    .argument("<name>", "name of the form, unique in the account")
    .option("--key-file <path>", "where to write the private key (default: sealpost-<name>-v1.key.json)")
    .option("--webhook-url <url>", "HTTPS address that is notified of every event")
    .option(
      "--allowed-origin <origin>",
      "origin whose pages can submit; repeatable, or with commas (default: all)",
      collectList,
    )
    .option("--pii-strip", "strip common patterns of personal data before sealing")
    .option("--no-encryption", "accept submissions that the server can read")
    .option(...hybridOption)
    .option("--envelope", "seal the private key in an envelope, with your personal key, instead of a key file")
    .option(
      "--reader <member>",
      "name or id of a member who reads the envelope too; repeatable, or with commas",
      collectList,
    )
    .option(...expectKeyOption, collectList)
    .option(
      "--organization <id>",
      "organization of a form with an envelope, if the last one created here was for another",
    )
    .option("--json", "print the form as JSON, as the API shows it, with keyFile added, or the envelope's readers")
    .addHelpText(
      "after",
      `
Examples:
  $ sealpost forms create Contact --allowed-origin https://www.example.org
  $ sealpost forms create Contact --envelope --reader Reports
  $ sealpost forms create Contact --identity key.txt`,
    )
    .action((name: string, options: CreateOptions) => createForm(context, name, options));

  addShowFormCommand(forms, context);
  addFormSettingsCommand(forms, context);
  addNameCommand(forms, context);
  addRotateCommand(forms, context);
  addLookAtCommand(forms, context);
  addBringBackCommand(forms, context);
  addEndVersionsCommand(forms, context);
  addKeyLogCommands(forms, context);
  addHandOverCommand(forms, context);
  addHoldCommands(forms, context);
}

async function listForms(context: Context, { json }: { json?: boolean }): Promise<void> {
  const { output, signal } = context;
  const client = await connect(context);
  const forms = [];
  for await (const form of client.forms.all({ signal, retry: true })) forms.push(form);
  if (json) return void output.write(`${formatJson(forms, 2)}\n`);
  const rows = forms.map(({ id, name, createdAt, submissionCount, settings, keyProof }) => {
    const sealed = settings.encryption ? "yes" : "no";
    return [id, name, formatTime(createdAt), String(submissionCount), sealed, settings.encryption ? keyProof : "-"];
  });
  output.write(formatTable(["ID", "NAME", "CREATED", "SUBMISSIONS", "SEALED", "KEY"], rows));
  for (const { name, refusedVisitors = [] } of forms)
    for (const refused of refusedVisitors)
      say(context, `Visitors of ${printable(name)} are refused: ${describeRefused(refused)}.`);
  const doubtful = forms.filter(
    ({ settings, keyProof, submissionCount }) => settings.encryption && keyProof === "unproved" && submissionCount > 0,
  );
  if (doubtful.length > 0)
    say(
      context,
      `\nNobody has shown yet that submissions of ${doubtful.length === 1 ? "this form" : "these forms"} can be opened: ${doubtful.map(({ name }) => printable(name)).join(", ")}.\nOpen one with the form's private key: sealpost submissions export --key FILE. If nobody has it, rotate the keys.`,
    );
}

async function createForm(context: Context, name: string, options: CreateOptions): Promise<void> {
  const settings = {
    encryption: options.encryption,
    piiStrip: options.piiStrip ?? false,
    ...(options.webhookUrl === undefined ? {} : { webhookUrl: options.webhookUrl }),
    ...(options.allowedOrigin === undefined ? {} : { allowedOrigins: [...options.allowedOrigin] }),
  };
  if (options.envelope || hasWriterOptions(options)) return createSealedForm(context, name, options, settings);
  if (options.reader !== undefined) throw new CommandError("usage", "--reader goes with --envelope");
  if (options.organization !== undefined) throw new CommandError("usage", "--organization goes with --envelope");
  const { output, signal } = context;
  const client = await connect(context);
  const made = await makeKeys(options);
  const file = await reserveKeyFile(context, options.keyFile ?? keyFileName(name, 1), made);
  // By the id a form is found whose answer was lost, and a request that arrives twice makes no second one.
  const { formId } = await client.forms.reserve({ signal }).catch(async (error: unknown) => {
    await file.discard();
    throw error;
  });
  const form = await keepUnlessRefused(
    context,
    file,
    () => client.forms.create({ formId, name, ...publicHalves(made), settings }, { signal }),
    () => findCreated(client, formId, made, { signal }),
  );
  checkKeyTaken(made, form, file);
  await completeKeyFile(file, made, { formId: form.id, formName: form.name, keyVersion: 1, createdAt: form.createdAt });
  await proveKeyFile(client, file, made, { formId: form.id, keyVersion: 1 }, { signal });
  if (options.json) return void output.write(`${formatJson({ ...form, keyFile: file.path }, 2)}\n`);
  say(
    context,
    `Created ${printable(form.name)}. Its private key is in ${file.path}: keep a copy: it cannot be restored.`,
  );
  output.write(`${printable(form.id)}\n`);
  const { embedCode } = await client.forms.get(form.id, { signal });
  sayHowToUse(context, form.id, embedCode, options.encryption ? await fingerprintToPin(made) : undefined);
}

/** The answer to the creation of the form, where that was lost. */
async function findCreated(client: Client, formId: string, made: NewKeys, options: CallOptions) {
  const key = await findMadeKey(client, formId, made, options);
  if (key === undefined) return undefined;
  const { name, createdAt, settings } = await client.forms.get(formId, options);
  const { publicKey, hybridPublicKey } = key;
  return { id: formId, name, createdAt, publicKey, ...(hybridPublicKey && { hybridPublicKey }), settings };
}

async function createSealedForm(
  context: Context,
  name: string,
  { keyFile, hybrid = false, reader, organization, encryption, json, ...options }: CreateOptions,
  settings: NonNullable<FormToCreate["settings"]>,
): Promise<void> {
  if (keyFile !== undefined)
    throw new CommandError("usage", "Give --key-file or --envelope, not both: an envelope replaces the file");
  const { output, signal } = context;
  const toMake = {
    name,
    settings,
    hybrid,
    ...(reader && { readers: reader }),
    ...(organization && { organizationId: organization }),
  };
  const { client, written } = await createWithEnvelope(context, options, toMake);
  const form = await client.forms.get(written.formId, { signal });
  if (json) return void output.write(`${formatJson({ ...form, readers: written.readers }, 2)}\n`);
  say(context, `Created ${printable(form.name)}.`);
  output.write(`${printable(form.id)}\n`);
  sayHowToUse(context, form.id, form.embedCode, encryption ? written.fingerprint : undefined);
  const head = await (await findSeenHeads(context, options)).findKeyLog(form.id);
  if (head !== undefined && encryption) sayKeyLog(context, head);
}

function sayHowToUse(context: Context, formId: string, embedCode: string, pin: string | undefined): void {
  const mark = `<form data-sealpost="${formId}" method="dialog">`;
  say(
    context,
    `\nBegin the form of the page with this; method="dialog" keeps the browser from sending it itself:\n\n${mark}`,
  );
  say(context, `\nPaste this into the page after the form:\n\n${embedCode}`);
  if (pin === undefined) return;
  const pinned = pinSnippet(embedCode, formId, pin);
  say(
    context,
    `\nSo that the page takes no other key than yours, whatever the server says, ${pinned === undefined ? `name it ${howToPin}` : "paste this instead"}:\n\n${pinned ?? `{"keyFingerprint":"${pin}"}`}`,
  );
}
