import type { ReaderChange } from "@sealpost/sdk/envelopes";
import type { Command } from "commander";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type Person, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { expectKeyOption, findKnownMembers, type KnownOptions } from "./known-members.ts";
import { addProgram, findMembers, findProgram, toProgram } from "./list-members.ts";
import { collect, collectList } from "./option-values.ts";
import { shownName } from "./shown-name.ts";
import { confirmNames, expectNameOption, type NameOptions } from "./signed-form-name.ts";
import { formatJson, formatTable } from "./table.ts";
import { readText } from "./text-input.ts";
import { addWriterOptions, sayLeftOut } from "./write-form.ts";

interface ReaderOptions extends WriterOptions {
  readonly form: readonly string[];
}

interface ListOptions extends ReaderOptions {
  readonly json?: boolean;
}

interface RemoveOptions extends ReaderOptions, NameOptions {}

interface AddOptions extends ReaderOptions, KnownOptions, NameOptions {
  readonly program?: string;
  readonly recipient?: string;
  readonly recipientFile?: string;
}

export function addReadersCommands(keys: Command, context: Context): void {
  const readers = keys
    .command("readers")
    .summary("list, add and remove readers of the forms' envelopes")
    .description(
      "Lists and changes the readers of forms, which are in the envelopes, under the seal. These commands open the envelopes on this machine with your personal key, and sign with it. They need a session; for changes, one that began within the last hour.",
    );

  addOptions(readers.command("list"))
    .summary("list the readers of forms")
    .description("Lists the readers of forms, from their envelopes, with the roles in the list of members.")
    .option("--json", "print the readers as JSON")
    .action((options: ListOptions) => listReaders(context, options));

  addOptions(readers.command("add"))
    .summary("add members to the readers of forms")
    .description(
      "Adds these members to the readers of the forms, in a new revision of each envelope. Only members in the signed list can be added, with the keys that the list has: they are shown, and asked about at a terminal. Elsewhere --expect-key is needed for those who have changed their own name or key, or are called nearly like somebody else. --program adds a program to the list first.",
    )
    .argument("[members...]", "names or ids of members, as in the list")
    .option(...expectKeyOption, collectList)
    .option(...expectNameOption, collect)
    .option("--program <name>", "name of a program to add to the list of members and to the readers")
    .option("--recipient <recipient>", "its recipient, age1pq1…, as printed by keys program")
    .option("--recipient-file <file>", "file with that recipient instead, - for standard input")
    .addHelpText(
      "after",
      `
With --program, the head of the list of members is printed. Pass it on to who runs the
program, for --list.

Example:
  $ sealpost keys readers add --form form_… --program Reports --recipient-file reports.txt`,
    )
    .action((members: string[], options: AddOptions) => addReaders(context, members, options));

  addOptions(readers.command("remove"))
    .summary("remove members from the readers of forms")
    .description(
      "Removes these members from the readers of the forms, in a new revision of each envelope. They may have kept the keys: only a rotation keeps later submissions from them.",
    )
    .argument("<members...>", "names or ids of members")
    .option(...expectNameOption, collect)
    .action((members: string[], options: RemoveOptions) => removeReaders(context, members, options));
}

function addOptions(command: Command): Command {
  command.requiredOption("--form <form-id>", "id of the form; repeatable, or with commas", collectList);
  return addWriterOptions(command);
}

async function listReaders(context: Context, { json, ...options }: ListOptions): Promise<void> {
  const { writer } = await openWriter(context, options, true);
  const { findSealable, findUnintroduced } = await import("@sealpost/envelope");
  const rows: object[] = [];
  const cells: (readonly string[])[] = [];
  for (const form of options.form) {
    const { envelopes, list } = await writer.openWhole(form).catch(refuse);
    const sealable = await findSealable(list, await writer.findStanding(list));
    for (const { firstVersion, head, readers, outdated, unknown } of envelopes) {
      const unproven = findUnintroduced(list, head);
      for (const { id, name } of readers) {
        const role = list.members.get(id)?.role ?? null;
        const isCurrent = !outdated.includes(id);
        const isProven = !unproven.includes(id);
        const isVouchedFor = sealable.has(id);
        rows.push({ form, firstVersion, id, name: name ?? null, role, isCurrent, isProven, isVouchedFor });
        const state = describeReader({ role, isCurrent, isProven, isVouchedFor, isUnknown: unknown.includes(id) });
        cells.push([form, String(firstVersion), id, name ?? "(missing)", role ?? "-", state]);
      }
    }
  }
  const text = formatTable(["FORM", "FROM VERSION", "ID", "NAME", "ROLE", "STATE"], cells);
  context.output.write(json ? `${formatJson(rows, 2)}\n` : text);
}

function describeReader({
  role,
  isCurrent,
  isProven,
  isVouchedFor,
  isUnknown,
}: {
  readonly role: string | null;
  readonly isCurrent: boolean;
  readonly isProven: boolean;
  readonly isVouchedFor: boolean;
  readonly isUnknown: boolean;
}): string {
  if (!isCurrent) return role === null ? "has left" : "left, or got another key, since; readers add lets them read on";
  if (!isVouchedFor) return "reads, and the next revision is not for them; listed vouch changes that";
  if (isUnknown)
    return "reads the newest keys alone, put there by nobody known, and the next revision is not for them; readers add changes that";
  return isProven ? "reads" : "reads; readers add confirms";
}

async function addReaders(context: Context, names: readonly string[], options: AddOptions): Promise<void> {
  const { program } = options;
  const recipient = await findRecipient(context, options);
  if ((program === undefined) !== (recipient === undefined))
    throw new CommandError("usage", "--program and --recipient, or --recipient-file, go together");
  if (names.length === 0 && program === undefined)
    throw new CommandError("usage", "Name the members to add, or a program with --program and --recipient");
  const person = await openWriter(context, options, true);
  const list = await loadList(person);
  for (const id of findMembers(list, names)) {
    const { role = "", name } = list.members.get(id) ?? {};
    if (role === "developer" || role === "auditor")
      throw new CommandError(
        "refused",
        `${shownName({ id, name })} has the role ${role} in the list of members, which reads no envelopes`,
      );
  }
  await confirmNames(context, person, options.form, options);
  const member =
    program === undefined || recipient === undefined ? undefined : await toProgram(program, recipient.trim());
  const add = [
    ...(await findKnownMembers(context, list, names, options, member && (findProgram(list, member) ?? member))),
  ];
  if (member !== undefined) add.push((await addProgram(person, member)).id);
  await changeAll(context, person, options.form, { add, remove: [] });
  if (member === undefined) return;
  const { formatListHead } = await import("@sealpost/sdk/envelopes");
  say(context, "Pass this on to the program's operator, for --list at its first use:");
  context.output.write(`${formatListHead((await loadList(person)).head)}\n`);
}

/** A recipient has two thousand characters, more than some terminals take as an argument. */
async function findRecipient(context: Context, { recipient, recipientFile }: AddOptions): Promise<string | undefined> {
  if (recipientFile === undefined) return recipient;
  if (recipient !== undefined) throw new CommandError("usage", "Give --recipient or --recipient-file, not both");
  const text = await readText(context, recipientFile);
  if (text.includes("AGE-SECRET-KEY"))
    throw new CommandError(
      "usage",
      `${recipientFile} contains the identity, which only the program should have: give the recipient that keys program printed`,
    );
  const [line, ...others] = text.split(/\r?\n/).filter((one) => one.trim() !== "");
  if (line === undefined || others.length > 0)
    throw new CommandError("usage", `${recipientFile} is not a file with one recipient, age1pq1…`);
  return line;
}

async function removeReaders(context: Context, names: readonly string[], options: RemoveOptions): Promise<void> {
  const person = await openWriter(context, options, true);
  const list = await loadList(person);
  const remove = findMembers(list, names);
  for (const id of remove) {
    const member = list.members.get(id);
    if (member?.role === "recovery")
      throw new CommandError("refused", "A recovery key in the list of members reads every envelope");
    if (member?.signingKey === person.key.signingKey)
      throw new CommandError("refused", "You can't remove yourself: another owner or manager can");
  }
  await confirmNames(context, person, options.form, options);
  await changeAll(context, person, options.form, { add: [], remove });
  say(context, "They may have kept the keys: `sealpost forms rotate` keeps later submissions from them.");
}

async function changeAll(context: Context, { writer }: Person, formIds: readonly string[], change: ReaderChange) {
  const { signal } = context;
  for (const formId of formIds) {
    const { isChanged, leftOut } = await writer.changeReaders(formId, change, { signal }).catch(refuse);
    say(context, `${formId}: ${isChanged ? "changed" : "nothing to change"}`);
    sayLeftOut(context, formId, leftOut);
  }
}

function loadList({ writer }: Person) {
  return writer.loadList().catch(refuse);
}

function refuse(error: unknown): never {
  throw toProblemError(error);
}
