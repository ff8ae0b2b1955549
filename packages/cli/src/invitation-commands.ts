import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { collectList } from "./option-values.ts";
import { printable } from "./printable.ts";
import { formatForms, type Role, roleOption, rolesHelp } from "./roles.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";

interface InviteOptions {
  readonly role: Role;
  readonly form?: readonly string[];
  readonly json?: boolean;
}

/** The commands of `sealpost members` about people who are not members yet. */
export function addInvitationCommands(members: Command, context: Context): void {
  members
    .command("invite")
    .summary("invite somebody, and print the link once")
    .description(
      "Invites an email address, and prints the link for accepting. It is shown only this once, works once, within 7 days, for this address only, and replaces an open invitation for the same address. Managers can invite readers and developers, owners can invite everybody.",
    )
    .argument("<email>", "address of the person")
    .addOption(roleOption().makeOptionMandatory())
    .option("--form <form-id>", "form that the role is for; repeatable, or with commas", collectList)
    .option("--json", "print the invitation as JSON, as the API shows it")
    .addHelpText(
      "after",
      `\n${rolesHelp}\n\nExample:\n  $ sealpost members invite zoe@example.org --role reader --form form_…`,
    )
    .action((email: string, options: InviteOptions) => invite(context, email, options));

  members
    .command("invitations")
    .summary("list the open invitations, newest first")
    .description("Lists the open invitations, without their links. For owners and managers.")
    .option("--json", "print the invitations as a JSON array, as the API shows them")
    .action((options: { json?: boolean }) => listInvitations(context, options));

  members
    .command("uninvite")
    .summary("take an invitation back at once")
    .description("Takes back an invitation: its link no longer works.")
    .argument("<invitation-id>", "id of the invitation, inv_…")
    .action((invitationId: string) => takeBack(context, invitationId));
}

async function invite(context: Context, email: string, { role, form, json }: InviteOptions): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const created = await client.invitations.create({ email, role, ...(form && { forms: [...form] }) }, { signal });
  const { invitation, url, mailed } = created;
  if (json) return void output.write(`${formatJson(created, 2)}\n`);
  const sent = mailed ? "It is also sent there." : "This instance sends no emails: give them the link.";
  say(
    context,
    `Invited ${printable(invitation.email)} as ${invitation.role}. The link works once, until ${formatTime(invitation.expiresAt)}, for this address only. ${sent}`,
  );
  output.write(`${printable(url)}\n`);
}

async function listInvitations(context: Context, { json }: { json?: boolean }): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const { invitations } = await client.invitations.list({ signal, retry: true });
  if (json) return void output.write(`${formatJson(invitations, 2)}\n`);
  const rows = invitations.map(({ id, email, role, forms, createdAt, expiresAt }) => [
    ...[id, email, role, formatForms(forms)],
    ...[createdAt, expiresAt].map(formatTime),
  ]);
  output.write(formatTable(["ID", "EMAIL", "ROLE", "FORMS", "CREATED", "EXPIRES"], rows));
}

async function takeBack(context: Context, invitationId: string): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  output.write(`${printable(await client.invitations.revoke(invitationId, { signal }))}\n`);
}
