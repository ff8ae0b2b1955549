import type { FollowedKeyLog, SeenHeads, VerifiedList } from "@sealpost/envelope";
import { type Client, findNewestKey, orNone } from "@sealpost/sdk";
import { type FormId, formatKeyLogHead, type KeyLogHead, type VerifiedKeyLog } from "@sealpost/wire";
import type { Command } from "commander";
import { connect, connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { counted } from "./counted.ts";
import { findSeenHeads, toProblemError } from "./envelope-keys.ts";
import { hasWriterOptions, openWriter, type Person, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { collect, collectList } from "./option-values.ts";
import { printable } from "./printable.ts";
import { readPrivateKeys } from "./private-key-files.ts";
import { confirm } from "./prompt.ts";
import { shownName } from "./shown-name.ts";
import {
  confirmNames,
  confirmUnopened,
  expectNameOption,
  type NameOptions,
  unsignedNameOption,
} from "./signed-form-name.ts";
import { formatJson, formatTable } from "./table.ts";
import { addWriterOptions } from "./write-form.ts";

interface HeadOptions {
  readonly heads?: string;
}

interface KeyOptions extends WriterOptions {
  readonly key?: readonly string[];
}

type SigningOptions = KeyOptions & NameOptions;

interface GiveUpOptions extends WriterOptions, NameOptions {
  readonly unsignedName?: boolean;
  readonly yes?: boolean;
}

const formArgument = ["<form-id>", "id of the form, form_…"] as const;
const headsOption = [
  "--heads <file>",
  "where the newest entry is remembered (default: personal.heads.json, next to what login keeps)",
] as const;
const keyOption = ["--key <file>", "key file of the form's newest key; repeatable, or with commas"] as const;
const signingNeeds =
  "Prints the pin of the new entry, NUMBER-HASH. Owners in the list of members, and recovery keys that sign, can sign any next one, managers that of a rotation. Needs forms:read, forms:write and submissions:read.";

export function addKeyLogCommands(forms: Command, context: Context): void {
  const keyLog = forms
    .command("key-log")
    .summary("begin, show, renew and give up a form's key log, which pages can pin instead of a key")
    .description(
      "A form's key log is the public chain of its keys, each entry signed by somebody who is named in the one before. A page that pins an entry accepts every key that continues it, so a rotation needs no new snippet.",
    );

  addWriterOptions(keyLog.command("begin"))
    .summary("begin a form's key log with its newest key")
    .description(
      `Begins a form's key log. Your personal key signs that the form's newest key is yours: it has to be in the form's envelope, or in a file that --key names. ${signingNeeds}`,
    )
    .argument(...formArgument)
    .option(...keyOption, collectList)
    .addHelpText("after", "\nExample:\n  $ sealpost forms key-log begin form_… --key sealpost-contact-v1.key.json")
    .option(...expectNameOption, collect)
    .action((formId: string, options: SigningOptions) => begin(context, formId, options));

  addWriterOptions(keyLog.command("renew"))
    .summary("sign an entry with the same key, for the current signers")
    .description(
      `Adds an entry with the same key to a form's key log, after somebody has left or joined, or has another role. Only for those whom the newest entry names as owners. The log's newest key has to be in the form's envelope, or in a file that --key names; if no key of the form is open here, you have to have signed an entry of this log. Pages that pin an earlier entry need the new pin: until then, somebody who has left could continue the log for those pages, together with a server that lies. ${signingNeeds}`,
    )
    .argument(...formArgument)
    .option(...keyOption, collectList)
    .option(...expectNameOption, collect)
    .action((formId: string, options: SigningOptions) => renew(context, formId, options));

  addWriterOptions(keyLog.command("show"))
    .summary("check a form's key log, and show its newest entry and the next signers")
    .description(
      "Checks a form's whole key log on this machine: it has to continue what was seen here before. Remembers its newest entry. With --identity, shows the signers' names and roles from the list of members, and prints the pin only if each of them has in the log the role that the list gives them, and no owner is missing: anyone else with such a key could continue the log with a key of their own. And only if the log's newest key is in the form's envelope, or in a file that --key names: the server could have made another log up. If no key of the form is open here, you have to have signed an entry of this log.",
    )
    .argument(...formArgument)
    .option(...keyOption, collectList)
    .option("--any-signer", "print the pin even if the signers are not those that they should be")
    .option("--json", "print the newest entry as JSON; keyLog, the pin, is null if it is not printed")
    .action((formId: string, options: ShowOptions) => show(context, formId, options));

  addWriterOptions(keyLog.command("give-up"))
    .summary("give up a form's key log")
    .description(
      "Gives up a form's key log, if nobody is left who can sign. Pages that pin it then send nothing until they have another snippet. Your personal key writes into the form's envelope that it has no log: until an owner has done that, or rotates the form, managers can't rotate it on devices that have seen the log. Only for owners. Asks for confirmation at a terminal; elsewhere it needs --yes. Needs a session that began within the last hour (`sealpost login`), not an API key.",
    )
    .argument(...formArgument)
    .option("--yes", "do not ask")
    .option(...expectNameOption, collect)
    .option(...unsignedNameOption)
    .action((formId: string, options: GiveUpOptions) => giveUp(context, formId, options));

  keyLog
    .command("forget")
    .summary("forget a form's key log, after an owner gave it up")
    .description(
      "Forgets a form's key log. Use it only if an owner of your organization says that they gave the log up: the next log that the server shows is then accepted. Asks no server.",
    )
    .argument(...formArgument)
    .option(...headsOption)
    .action((formId: string, options: HeadOptions) => forget(context, formId, options));
}

async function begin(context: Context, formId: string, { key = [], ...options }: SigningOptions): Promise<void> {
  const files = await readPrivateKeys(context, key);
  const person = await openWriter(context, options);
  await confirmNames(context, person, [formId], options);
  const { writer, signal } = person;
  sayPin(context, await orProblem(writer.beginKeyLog(formId, files, { signal })));
}

async function renew(context: Context, formId: string, { key = [], ...options }: SigningOptions): Promise<void> {
  const files = await readPrivateKeys(context, key);
  const person = await openWriter(context, options);
  await confirmNames(context, person, [formId], options);
  const { writer, signal } = person;
  sayPin(context, await orProblem(writer.renewKeyLog(formId, files, { signal })));
}

function sayPin(context: Context, head: KeyLogHead): void {
  const pin = formatKeyLogHead(head);
  say(context, `Pages pin it by the script sealpost-key-log and the option keyLog: "${pin}".`);
  say(context, "The dashboard has the whole snippet on the form's page Embed.");
  context.output.write(`${pin}\n`);
}

/** For a form that was just made with its key log. */
export function sayKeyLog(context: Context, head: KeyLogHead): void {
  say(
    context,
    `\nThe form has a key log. A page that pins it in place of the key needs no new snippet after a rotation: script sealpost-key-log, option keyLog: "${formatKeyLogHead(head)}". The dashboard has the whole snippet on the form's page Embed.`,
  );
}

type ShowOptions = KeyOptions & { readonly json?: boolean; readonly anySigner?: boolean };

async function show(
  context: Context,
  formId: string,
  { json, anySigner, key = [], ...options }: ShowOptions,
): Promise<void> {
  const { output, signal } = context;
  const files = await readPrivateKeys(context, key);
  const person = hasKey(options) ? await openWriter(context, options) : undefined;
  const client = person?.client ?? (await connect(context));
  const heads = await findSeenHeads(context, options);
  const list = person && (await findOwnList(person, formId, heads));
  const fetchKeyLog = () => orNone(client.forms.keyLog(formId, 1, { signal }));
  const { followKeyLog } = await import("@sealpost/envelope");
  const log = requireLog(await followKeyLog({ formId: formId as FormId, heads, fetchKeyLog })); // another form's is refused
  const { version, fingerprint, hybridFingerprint } = log.entry.key;
  const published = await client.forms.keys(formId, { signal });
  const newest = findNewestKey(published);
  if (
    newest?.version !== version ||
    newest.fingerprint !== fingerprint ||
    (newest.hybridFingerprint ?? null) !== hybridFingerprint
  )
    throw new CommandError(
      "differs",
      `The server names another key for this form than the newest entry of its key log. ${askOperator}`,
    );
  describe(context, log);
  const own = person?.key.signingKey;
  const { compareKeyLogSigners } = await import("@sealpost/envelope");
  const { wrong, missing } = compareKeyLogSigners(log, list, own);
  const isOwn = person
    ? await orProblem(person.writer.mayPinKeyLog(formId, log, files, { signal }))
    : (await import("@sealpost/sdk/envelopes")).isHeld(log.entry.key, files);
  const isSigned = wrong.length + missing.length === 0 || anySigner;
  const pin = isOwn && isSigned ? formatKeyLogHead(log.head) : null;
  if (json) output.write(`${formatJson({ keyLog: pin, ...log.entry, strangers: wrong, missingOwners: missing }, 2)}\n`);
  else
    output.write(
      `${pin === null ? "" : `${pin}\n\n`}${formatTable(["SIGNER", "SIGNS AS", "NAME", "ROLE"], toRows(log, list, own))}`,
    );
  if (pin !== null) return;
  if (isSigned) throw notHeld();
  throw wrong.length > 0 ? unvouched(wrong.length, person !== undefined) : incomplete(missing, list);
}

function notHeld(): CommandError {
  return new CommandError(
    "differs",
    "No pin is printed: the newest key of this log is in no key file that was given (--key), nor in an envelope that your key opens, so the server could have made the log up. Ask somebody who reads the form; or rotate the form, or give the log up",
  );
}

/** The pin is not printed: a page that names it would seal to any key that a stranger adds. */
function unvouched(strangers: number, hasList: boolean): CommandError {
  const whose = hasList
    ? "not that of somebody who has this role in the list of members. An owner names the right ones with `sealpost forms key-log renew`, or gives the log up"
    : "of nobody whom this command could look up: add --identity";
  return new CommandError(
    "differs",
    `No pin is printed: ${counted(strangers, "key that may sign the next entry is", "keys that may sign the next entry are")} ${whose}. --any-signer prints it anyway`,
  );
}

/** A log that leaves owners out may have been begun by somebody who wanted them out. */
function incomplete(missing: readonly string[], list: VerifiedList | undefined): CommandError {
  const names = [...(list?.members.values() ?? [])].flatMap((member) =>
    member.signingKey !== null && missing.includes(member.signingKey) ? [shownName(member)] : [],
  );
  return new CommandError(
    "differs",
    `No pin is printed: the log does not name all owners: ${names.join(", ")}. An owner whom it names does so with \`sealpost forms key-log renew\`. --any-signer prints it anyway`,
  );
}

/** The organization's list, if there is one; refused where the form was seen in another organization. */
async function findOwnList(
  { writer, signal }: Person,
  formId: string,
  heads: SeenHeads,
): Promise<VerifiedList | undefined> {
  const { EnvelopeProblemError } = await import("@sealpost/sdk/envelopes");
  try {
    const list = await writer.loadList({ signal });
    if (!(await heads.claimForm(formId, list.organizationId))) throw new EnvelopeProblemError("moved_form");
    return list;
  } catch (error) {
    if (error instanceof EnvelopeProblemError && error.problem === "no_list") return undefined;
    throw toProblemError(error);
  }
}

function describe(context: Context, { head, entry }: VerifiedKeyLog): void {
  say(
    context,
    `Entry ${head.number}, key version ${entry.key.version}, written ${entry.writtenAt}. It continues what was seen here.`,
  );
}

/** The names and roles from the list; a dash where it has no such key, or is not available. */
function toRows({ entry }: VerifiedKeyLog, list: VerifiedList | undefined, own: string | undefined) {
  const members = [...(list?.members.values() ?? [])];
  return [...entry.owners, ...entry.managers].map((signer) => {
    const member = members.find(({ signingKey }) => signingKey === signer);
    const role = member?.role ?? "–";
    const mark = entry.owners.includes(signer) ? "owner" : "manager";
    return [signer, mark, member ? shownName(member) : "–", signer === own ? `${role} (you)` : role];
  });
}

function hasKey({ heads, ...options }: WriterOptions): boolean {
  return hasWriterOptions(options);
}

const askOperator = "Ask who runs the server. Pages that pin the key log send nothing that does not fit it";

const refusals: Readonly<Record<Extract<FollowedKeyLog, { kind: "refused" }>["reason"], string>> = {
  hidden: "The server shows no key log for this form, and one was seen here",
  old: "The server shows an older key log than was seen here",
  forked: "The server shows another key log than was seen here",
  not_signed: "An entry of this form's key log was signed with a key that is not allowed to sign it",
  other_form: "The server shows the key log of another form",
  malformed: "This form's key log is damaged",
  broken_chain: "Entries of this form's key log are missing or in another order",
  not_allowed: "An entry of this form's key log says more than its signer may",
  unknown_extension: "This form's key log was continued by a newer program: update this one",
};

function requireLog(followed: FollowedKeyLog): VerifiedKeyLog {
  if (followed.kind === "checked") return followed.log;
  if (followed.kind === "none") throw new CommandError("notFound", "The form has no key log");
  const isGivenUp = followed.reason === "hidden" || followed.reason === "forked" || followed.reason === "old";
  throw new CommandError(
    "differs",
    `${refusals[followed.reason]}. ${askOperator}${isGivenUp ? ". If an owner says that they gave the log up, `sealpost forms key-log forget` takes note of that" : ""}`,
  );
}

async function giveUp(context: Context, formId: string, { yes, ...options }: GiveUpOptions): Promise<void> {
  const { signal } = context;
  const { client } = await connectWithSession(context);
  const person = await confirmUnopened(context, formId, options);
  if (!yes)
    await confirm(
      context,
      `give up the key log of ${printable(formId)}; every page that pins it sends nothing from then on`,
      "Nothing was changed",
    );
  const { mayBeNamed } = await (person
    ? orProblem(person.writer.giveUpKeyLog(formId, { signal }))
    : giveUpWithoutKey(context, client, formId, options));
  say(context, "The key log was given up. Put another snippet on every page that pins it.");
  if (mayBeNamed)
    say(
      context,
      "The form's envelope may still name it. An owner who rotates the form ends that (`sealpost forms rotate`); before, managers can't rotate it.",
    );
  context.output.write(`${printable(formId)}\n`);
}

/** Nothing is written into an envelope: the form has none, or the person takes the server's word for its name. */
async function giveUpWithoutKey(context: Context, client: Client, formId: string, options: HeadOptions) {
  const { createEnvelopeApi, giveUpKeyLog } = await import("@sealpost/sdk/envelopes");
  const heads = await findSeenHeads(context, options);
  return giveUpKeyLog({ api: createEnvelopeApi(client, { signal: context.signal }), heads }, formId as FormId); // any other is refused by the server
}

async function forget(context: Context, formId: string, options: HeadOptions): Promise<void> {
  const heads = await findSeenHeads(context, options);
  const before = await heads.findKeyLog(formId);
  await heads.forgetKeyLog(formId);
  say(
    context,
    before === undefined
      ? `${printable(formId)}: nothing was remembered`
      : `${printable(formId)}: forgotten ${formatKeyLogHead(before)}`,
  );
}

async function orProblem<Result>(work: Promise<Result>): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    throw toProblemError(error);
  }
}
