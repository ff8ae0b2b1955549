import type { Client, Member } from "@sealpost/sdk";
import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { hasWriterOptions, openWriter, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { sayIntroduced } from "./introduced-readers.ts";
import { addInvitationCommands } from "./invitation-commands.ts";
import { collectList } from "./option-values.ts";
import { organizationName } from "./organizations-command.ts";
import { printable } from "./printable.ts";
import { confirm } from "./prompt.ts";
import { formatForms, type Role, roleOption, rolesHelp } from "./roles.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";
import { addWriterOptions } from "./write-form.ts";

interface ChangeOptions {
  readonly role?: Role;
  readonly form?: readonly string[];
  readonly json?: boolean;
}

export function addMembersCommands(program: Command, context: Context): void {
  const members = program
    .command("members")
    .summary("list, invite, change and remove the organization's members")
    .description(
      "Manages the members of the organization that the session acts for (`sealpost organizations`). Needs a session (`sealpost login`), not an API key; inviting, changing and removing need one that began within the last hour.",
    );

  members
    .command("list")
    .summary("list the members, the oldest first")
    .description("Lists all members with their roles. For owners, managers and auditors.")
    .option("--json", "print the members as a JSON array, as the API shows them")
    .action((options: { json?: boolean }) => listMembers(context, options));

  addInvitationCommands(members, context);

  members
    .command("change")
    .summary("give a member another role, or other forms")
    .description(
      "Gives a member another role, or a reader or developer other forms. Takes effect at once, also for the API keys that they made. Managers can change readers and developers, owners can change everybody.",
    )
    .argument("<member-id>", "id of the member, acc_…")
    .addOption(roleOption())
    .option(
      "--form <form-id>",
      "form that the role is for, replacing the earlier ones; repeatable, or with commas",
      collectList,
    )
    .option("--json", "print the member as JSON, as the API shows it")
    .addHelpText(
      "after",
      `\n${rolesHelp}\n\nExample:\n  $ sealpost members change acc_… --role reader --form form_… --form form_…`,
    )
    .action((memberId: string, options: ChangeOptions) => changeMember(context, memberId, options));

  addWriterOptions(members.command("remove"))
    .summary("remove a member at once")
    .description(
      "Ends a membership and revokes the API keys that the member made here. Managers can remove readers and developers, owners can remove everybody except the last owner. With your personal key it first names the readers that the member put into forms: they keep reading until somebody takes them out. Afterwards take the member out of the signed list with keys listed remove, and out of the forms with keys readers remove.",
    )
    .argument("<member-id>", "id of the member, acc_…")
    .action((memberId: string, options: WriterOptions) => removeMember(context, memberId, options));

  members
    .command("leave")
    .summary("leave the organization")
    .description(
      "Ends your own membership and revokes the API keys that you made here. The last owner can't leave. Asks for confirmation at a terminal; elsewhere it needs --yes.",
    )
    .option("--yes", "do not ask")
    .action((options: { yes?: boolean }) => leaveOrganization(context, options));
}

async function listMembers(context: Context, { json }: { json?: boolean }): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const { members } = await client.members.list({ signal, retry: true });
  output.write(json ? `${formatJson(members, 2)}\n` : formatMembers(members));
}

async function changeMember(context: Context, memberId: string, { role, form, json }: ChangeOptions): Promise<void> {
  const { output, signal } = context;
  if (role === undefined && form === undefined)
    throw new CommandError("usage", "Say what to change: --role, --form or both");
  const { client } = await connectWithSession(context);
  const body = { ...(role && { role }), ...(form && { forms: [...form] }) };
  const { member, webhookForms } = await client.members.change(memberId, body, { signal });
  output.write(json ? `${formatJson(member, 2)}\n` : formatMembers([member]));
  sayWebhooksLeft(context, webhookForms);
}

async function removeMember(context: Context, memberId: string, options: WriterOptions): Promise<void> {
  const { output, signal } = context;
  const person = hasWriterOptions(options) ? await openWriter(context, options, true) : undefined;
  const { client } = person ?? (await connectWithSession(context));
  if (person !== undefined) await sayIntroduced(context, person, [memberId]);
  const readable = await findReadable(client, memberId, signal);
  const { webhookForms } = await client.members.remove(memberId, { signal });
  output.write(`${printable(memberId)}\n`);
  say(
    context,
    `Private keys that they had still open what was sealed to them: rotate the keys (\`sealpost forms rotate\`) of ${readable.length === 0 ? "the forms that they could see before" : `these forms, and of others that they could see before: ${nameForms(readable)}`}.`,
  );
  if (person === undefined)
    say(
      context,
      "Readers that they put into forms with an envelope keep reading: `sealpost keys listed remove` names them, and takes the member out of the signed list.",
    );
  sayWebhooksLeft(context, webhookForms);
}

/** The sealed forms that a member can see: of these they may have a private key, from an envelope or a file. Empty for nobody of the organization. */
async function findReadable(client: Client, memberId: string, signal: AbortSignal) {
  const member = (await client.members.list({ signal, retry: true })).members.find(({ id }) => id === memberId);
  const readable: { readonly id: string; readonly name: string }[] = [];
  if (member === undefined) return readable;
  for await (const { id, name, settings } of client.forms.all({ signal, retry: true }))
    if (settings.encryption && (member.forms === null || member.forms.includes(id))) readable.push({ id, name });
  return readable;
}

function nameForms(forms: readonly { readonly id: string; readonly name: string }[]): string {
  return forms.map(({ id, name }) => `${printable(name)} (${id})`).join(", ");
}

function sayWebhooksLeft(context: Context, forms: readonly { readonly id: string; readonly name: string }[]): void {
  if (forms.length === 0) return;
  say(
    context,
    `Events of these forms are still sent to a webhook address that they chose, and could not choose now: ${nameForms(forms)}`,
  );
}

async function leaveOrganization(context: Context, { yes }: { yes?: boolean }): Promise<void> {
  const { signal } = context;
  const { client } = await connectWithSession(context);
  const name = await findCurrentName(client, signal);
  if (!yes)
    await confirm(context, `leave ${name}; the API keys that you made there are revoked`, "Nothing was changed");
  await client.members.leave({ signal });
  say(context, `Left ${name}. Act for another organization with \`sealpost organizations switch\`.`);
}

async function findCurrentName(client: Client, signal: AbortSignal): Promise<string> {
  const { organizations } = await client.organizations.list({ signal, retry: true });
  const current = organizations.find((one) => one.current);
  return current === undefined ? "the organization" : organizationName(current);
}

function formatMembers(members: readonly Member[]): string {
  const rows = members.map(({ id, name, email, role, forms, since, disabled }) => [
    ...[id, name, email, role, formatForms(forms), formatTime(since)],
    disabled ? "yes" : "no",
  ]);
  return formatTable(["ID", "NAME", "EMAIL", "ROLE", "FORMS", "SINCE", "DISABLED"], rows);
}
