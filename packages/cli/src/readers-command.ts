import type { Command } from "commander";
import { addProgram, changeReaders, findMembers, openWhole, type ReaderChange, type Writer } from "./change-readers.ts";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { createReader, toProblemError } from "./envelope-keys.ts";
import { CommandError } from "./exit-code.ts";
import { collectList } from "./option-values.ts";
import { findPersonalKey, sheetOption, type UnlockOptions, wordsOption } from "./personal-key.ts";
import { formatJson, formatTable } from "./table.ts";

interface ReaderOptions extends UnlockOptions {
  readonly form: readonly string[];
  readonly identity?: string;
  readonly heads?: string;
  readonly list?: string;
}

interface ListOptions extends ReaderOptions {
  readonly json?: boolean;
}

interface AddOptions extends ReaderOptions {
  readonly program?: string;
  readonly recipient?: string;
}

const identityOption = [
  "--identity <file>",
  "your personal key, as keys unlock --output writes it; without it the words are asked for",
] as const;

/** Of a person, whose own signature in the list is enough at the first use: a program needs the head. */
const listOption = [
  "--list <number-hash>",
  "head of the list of members, where nothing in the list is signed with your key yet; remembered then",
] as const;

const headsOption = [
  "--heads <file>",
  "where the newest list and envelopes are remembered (default: personal.heads.json, next to what login keeps)",
] as const;

export function addReadersCommands(keys: Command, context: Context): void {
  const readers = keys
    .command("readers")
    .summary("list, add and remove who reads the envelopes of forms")
    .description(
      "Who reads a form is in its envelope, under the seal. These commands open it on this machine with your personal key, and sign with that. Need a session; changes, one that is not older than an hour.",
    );

  addOptions(readers.command("list"))
    .summary("list who reads forms")
    .description("Lists the readers of forms as their envelopes have them, with the roles of the list of members.")
    .option("--json", "print the readers as JSON")
    .action((options: ListOptions) => listReaders(context, options));

  addOptions(readers.command("add"))
    .summary("add members to the readers of forms")
    .description(
      "Writes the next revision of each envelope of the forms, for these members too. Only members of the signed list can be added, with the keys that it has; --program adds a program to the list first.",
    )
    .argument("[members...]", "names or ids of members, as the list has them")
    .option("--program <name>", "name of a program to add to the list of members and to the readers")
    .option("--recipient <recipient>", "its recipient, age1pq1…, as keys program printed it")
    .addHelpText(
      "after",
      `
With --program, the head of the list of members is printed. Pass it on to who runs the
program, for --list.

Example:
  $ sealpost keys readers add --form form_… --program Reports --recipient age1pq1…`,
    )
    .action((members: string[], options: AddOptions) => addReaders(context, members, options));

  addOptions(readers.command("remove"))
    .summary("remove members from the readers of forms")
    .description(
      "Writes the next revision of each envelope of the forms, without these members. They may have kept the keys: only a rotation keeps from them what is sealed later.",
    )
    .argument("<members...>", "names or ids of members")
    .action((members: string[], options: ReaderOptions) => removeReaders(context, members, options));
}

function addOptions(command: Command): Command {
  return command
    .requiredOption("--form <form-id>", "id of the form; repeatable, or with commas", collectList)
    .option(...identityOption)
    .option(...wordsOption)
    .option(...sheetOption)
    .option(...listOption)
    .option(...headsOption);
}

async function openWriter(context: Context, options: ReaderOptions): Promise<Writer> {
  const { client } = await connectWithSession(context);
  const key = await findPersonalKey(context, client, options);
  const { formatPersonalKey } = await import("@sealpost/envelope");
  const identity = { text: formatPersonalKey(key, context.now()), path: options.identity };
  return { client, key, reader: await createReader(context, client, identity, options), signal: context.signal };
}

async function listReaders(context: Context, { json, ...options }: ListOptions): Promise<void> {
  const { reader } = await openWriter(context, options);
  const rows: object[] = [];
  const cells: (readonly string[])[] = [];
  for (const form of options.form) {
    const { envelopes, list } = await openWhole(reader, form);
    for (const { firstVersion, readers, outdated } of envelopes)
      for (const { id, name } of readers) {
        const role = list.members.get(id)?.role ?? null;
        const isCurrent = !outdated.includes(id);
        rows.push({ form, firstVersion, id, name, role, isCurrent });
        const state = isCurrent ? "reads" : role === null ? "has left" : "has another key by now";
        cells.push([form, String(firstVersion), id, name, role ?? "-", state]);
      }
  }
  const text = formatTable(["FORM", "FROM VERSION", "ID", "NAME", "ROLE", "STATE"], cells);
  context.output.write(json ? `${formatJson(rows, 2)}\n` : text);
}

async function addReaders(context: Context, names: readonly string[], options: AddOptions): Promise<void> {
  const { program, recipient } = options;
  if ((program === undefined) !== (recipient === undefined))
    throw new CommandError("usage", "--program and --recipient go together");
  if (names.length === 0 && program === undefined)
    throw new CommandError("usage", "Name the members to add, or a program with --program and --recipient");
  const writer = await openWriter(context, options);
  const list = await loadList(writer);
  const add = [...findMembers(list, names)];
  for (const id of add) {
    const { role = "", name = "" } = list.members.get(id) ?? {};
    if (role === "developer" || role === "auditor")
      throw new CommandError(
        "refused",
        `${name} has the role ${role} in the list of members, which reads no envelopes`,
      );
  }
  if (program !== undefined && recipient !== undefined)
    add.push((await addProgram(writer, program, recipient.trim())).id);
  await changeAll(context, writer, options.form, { add, remove: [] });
  if (program === undefined) return;
  const { formatListHead } = await import("@sealpost/sdk/envelopes");
  say(context, "Pass this on to who runs the program, for --list at its first use:");
  context.output.write(`${formatListHead((await loadList(writer)).head)}\n`);
}

async function removeReaders(context: Context, names: readonly string[], options: ReaderOptions): Promise<void> {
  const writer = await openWriter(context, options);
  const list = await loadList(writer);
  const remove = findMembers(list, names);
  for (const id of remove) {
    const member = list.members.get(id);
    if (member?.role === "recovery")
      throw new CommandError("refused", "A recovery key in the list of members reads every envelope");
    if (member?.signingKey === writer.key.signingKey)
      throw new CommandError("refused", "You can't remove yourself: another owner or manager can");
  }
  await changeAll(context, writer, options.form, { add: [], remove });
  say(
    context,
    "They may have kept the keys: rotate in the dashboard, so that they can't open what is sealed from now on.",
  );
}

async function changeAll(context: Context, writer: Writer, formIds: readonly string[], change: ReaderChange) {
  for (const formId of formIds) {
    const isChanged = await changeReaders(writer, formId, change);
    say(context, `${formId}: ${isChanged ? "changed" : "nothing to change"}`);
  }
}

function loadList({ reader }: Writer) {
  return reader.loadList().catch((error: unknown) => {
    throw toProblemError(error);
  });
}
