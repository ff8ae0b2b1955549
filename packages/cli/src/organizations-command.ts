import { type Organization, orNone } from "@sealpost/sdk";
import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { toProblemError } from "./envelope-keys.ts";
import { openWriter, type WriterOptions } from "./envelope-writer.ts";
import { CommandError } from "./exit-code.ts";
import { findServedName, signOrganizationName } from "./organization-name.ts";
import { printable } from "./printable.ts";
import { ask, readSecretLine } from "./prompt.ts";
import { formatForms } from "./roles.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";
import { addWriterOptions } from "./write-form.ts";

interface JsonOption {
  readonly json?: boolean;
}

interface RenameOptions extends JsonOption, WriterOptions {
  readonly unsigned?: boolean;
}

export function addOrganizationsCommands(program: Command, context: Context): void {
  const organizations = program
    .command("organizations")
    .summary("list and make organizations, act for another one, accept an invitation")
    .description(
      "Shows the organizations that you belong to. A session acts for one of them: all other commands are about that one. Needs a session (`sealpost login`); an API key belongs to one organization for good.",
    );

  organizations
    .command("list")
    .summary("list the organizations that you belong to")
    .description("Lists the organizations that you belong to, and which of them the session acts for.")
    .option("--json", "print the organizations as a JSON array, as the API shows them")
    .action((options: JsonOption) => listOrganizations(context, options));

  organizations
    .command("switch")
    .summary("act for another organization")
    .description(
      "Makes this session act for another organization. Your other sessions, such as those in browsers, do not change.",
    )
    .argument("<organization-id>", "id of the organization, acc_…")
    .option("--json", "print the organization as JSON, as the API shows it")
    .action((id: string, options: JsonOption) => switchOrganization(context, id, options));

  organizations
    .command("create")
    .summary("make another organization, with you as its owner")
    .description(
      "Makes another organization and prints its id. The session does not switch to it. Needs a session that began within the last hour.",
    )
    .argument("<name>", "name of the organization")
    .option("--json", "print the organization as JSON, as the API shows it")
    .action((name: string, options: JsonOption) => createOrganization(context, name, options));

  addWriterOptions(organizations.command("rename"))
    .summary("rename the organization that the session acts for")
    .description(
      "Renames the organization that the session acts for. Where it has a signed list of members, your personal key signs the new name there first, which needs a session that began within the last hour. For owners.",
    )
    .argument("<name>", "the new name")
    .option("--unsigned", "leave the name in the list of members: it is then shown next to the new one")
    .option("--json", "print the organization as JSON, as the API shows it")
    .action((name: string, options: RenameOptions) => renameOrganization(context, name, options));

  addWriterOptions(organizations.command("sign-name"))
    .summary("sign the organization's name in its list of members")
    .description(
      "Shows what the server calls the organization that the session acts for, and has its signed list of members call it so: everybody who makes a form then sees a name that no server can change. For owners, with their personal key; needs a session that began within the last hour.",
    )
    .argument("<name>", "the name that you expect: what the server calls it")
    .action((name: string, options: WriterOptions) => signName(context, name, options));

  organizations
    .command("join")
    .summary("accept an invitation")
    .description(
      "Accepts an invitation and prints the organization's id. Asks for the link, or reads it from standard input: it is a secret until it is used. You have to be signed in with the invited address; without an account, open the link in a browser.",
    )
    .action(() => joinOrganization(context));
}

/** For sentences: a name may be empty. */
export function organizationName({ name, id }: Pick<Organization, "name" | "id">): string {
  return printable(name === "" ? id : name);
}

async function listOrganizations(context: Context, { json }: JsonOption): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const { organizations } = await client.organizations.list({ signal, retry: true });
  if (json) return void output.write(`${formatJson(organizations, 2)}\n`);
  const rows = organizations.map(({ id, name, role, forms, since, current }) => [
    ...[id, name, role, formatForms(forms), formatTime(since)],
    current ? "yes" : "no",
  ]);
  output.write(formatTable(["ID", "NAME", "ROLE", "FORMS", "SINCE", "CURRENT"], rows));
  if (!organizations.some((one) => one.current))
    say(context, "\nThis session acts for none of them: act for one with `sealpost organizations switch`.");
}

async function switchOrganization(context: Context, id: string, { json }: JsonOption): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const organization = await client.organizations.switchTo(id, { signal });
  if (json) return void output.write(`${formatJson(organization, 2)}\n`);
  say(context, `This session now acts for ${organizationName(organization)}, as ${organization.role}.`);
}

async function createOrganization(context: Context, name: string, { json }: JsonOption): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const organization = await client.organizations.create({ name }, { signal });
  output.write(json ? `${formatJson(organization, 2)}\n` : `${printable(organization.id)}\n`);
  say(context, "Act for it with `sealpost organizations switch`.");
}

async function renameOrganization(
  context: Context,
  name: string,
  { json, unsigned, ...options }: RenameOptions,
): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  if (unsigned !== true && (await orNone(client.memberList.get(undefined, { signal }))) !== undefined)
    await signOrganizationName(await openWriter(context, options, true), name);
  const organization = await client.organizations.rename({ name }, { signal });
  if (json) return void output.write(`${formatJson(organization, 2)}\n`);
  say(context, `It is now called ${organizationName(organization)}.`);
}

async function signName(context: Context, name: string, options: WriterOptions): Promise<void> {
  const person = await openWriter(context, options, true);
  const { organizationId } = await person.writer.loadList().catch((error: unknown) => {
    throw toProblemError(error);
  });
  const served = await findServedName(person.client, organizationId, context.signal);
  if (served !== name)
    throw new CommandError(
      "differs",
      `The server calls ${organizationId} ${printable(served ?? "nothing")}. Nothing was signed`,
    );
  say(
    context,
    `${organizationId} is called ${printable(await signOrganizationName(person, name))} in its list of members.`,
  );
}

async function joinOrganization(context: Context): Promise<void> {
  const { output, signal } = context;
  const { client, baseUrl } = await connectWithSession(context);
  const link = context.input.isTTY ? await ask(context, "Link of the invitation") : await readSecretLine(context);
  const id = await client.invitations.accept(parseInvitationLink(link.trim(), baseUrl), { signal });
  output.write(`${printable(id)}\n`);
  say(context, "You belong to this organization now. Act for it with `sealpost organizations switch`.");
}

/** The token of a link of this instance: another one must not learn it. */
function parseInvitationLink(text: string, baseUrl: string): string {
  const link = URL.canParse(text) ? new URL(text) : undefined;
  if (link === undefined || link.hash.length < 2)
    throw new CommandError("usage", "This is not an invitation link, which has /invitation#… at its end");
  if (link.origin !== baseUrl)
    throw new CommandError(
      "usage",
      `This invitation is to ${link.origin}, and you are signed in to ${baseUrl}: \`sealpost login ${link.origin}\` first.`,
    );
  return link.hash.slice(1);
}
