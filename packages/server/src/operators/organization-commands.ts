import { type Command, InvalidArgumentError, Option } from "commander";
import { type Plan, plans } from "../config/config.ts";
import { loadConfig } from "../config/config-files.ts";
import type { administerOrganizations } from "./organization-administration.ts";

export interface OrganizationCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line on standard output. */
  readonly print: (line: string) => void;
  /** The `--help` text about the settings of every command, and about exit codes. */
  readonly settings: string;
  readonly exitCodes: string;
}

/** `sealpost-server organization …`: alongside a running service, or without one. */
export function addOrganizationCommands(program: Command, dependencies: OrganizationCommandDependencies): void {
  const { settings, exitCodes } = dependencies;
  const organization = program
    .command("organization")
    .description("List organizations and their members, make an owner, set plans. Works alongside a running service.")
    .addHelpText("after", `${settings}\n${exitCodes}`);
  addList(organization, dependencies);
  addMembers(organization, dependencies);
  addMakeOwner(organization, dependencies);
  addSetPlan(organization, dependencies);
}

const idOption = () =>
  new Option("--id <organization>", "the organization's id, acc_…, as `organization list` shows it")
    .argParser(parseId)
    .makeOptionMandatory();

function addList(organization: Command, { environment, print, exitCodes }: OrganizationCommandDependencies): void {
  organization
    .command("list")
    .description("Show every organization: id, plan, members, owners who can sign in, name.")
    .addHelpText("after", exitCodes)
    .action(() =>
      administer(loadConfig(environment), async (organizations) => {
        for await (const { id, plan, members, owners, name } of organizations.list())
          print(`${id}  ${plan}  ${members} members, ${owners} owners  ${name}`.trimEnd());
      }),
    );
}

function addMembers(organization: Command, { environment, print, exitCodes }: OrganizationCommandDependencies): void {
  organization
    .command("members")
    .description("Show the members of an organization: id, role, email address.")
    .addOption(idOption())
    .addHelpText("after", exitCodes)
    .action(({ id }: { id: string }) =>
      administer(loadConfig(environment), async (organizations) => {
        for (const { personId, role, email, isDisabled } of await organizations.members(id))
          print(`${personId}  ${role}  ${email}${isDisabled ? "  disabled" : ""}`);
      }),
    );
}

function addMakeOwner(organization: Command, { environment, print, exitCodes }: OrganizationCommandDependencies): void {
  organization
    .command("make-owner")
    .description("Make a person the owner of an organization: for one whose owners are gone.")
    .addOption(idOption())
    .requiredOption("--email <address>", "the person's email address; `account create` makes one")
    .addHelpText(
      "after",
      `
They can do everything in it from the next request on, and reach what it stores. Make sure that it is theirs.
Its audit log and, where emails are set up, an email tell all its owners.
${exitCodes}

Example:
  sealpost-server organization make-owner --id acc_01kdvmh200ecps5q5p0k1v8e9d --email you@example.com`,
    )
    .action(({ id, email }: { id: string; email: string }) =>
      administer(loadConfig(environment), async (organizations) => {
        const isNew = await organizations.makeOwner(id, email);
        print(`${email} is ${isNew ? "now an owner" : "already an owner"} of ${id}`);
      }),
    );
}

function addSetPlan(organization: Command, { environment, print, exitCodes }: OrganizationCommandDependencies): void {
  organization
    .command("set-plan")
    .description("Put an organization on another plan.")
    .addOption(idOption())
    .addOption(new Option("--plan <plan>", "the plan").choices([...plans]).makeOptionMandatory())
    .addHelpText("after", exitCodes)
    .action(({ id, plan }: { id: string; plan: Plan }) =>
      administer(loadConfig(environment), async (organizations) => {
        await organizations.setPlan(id, plan);
        print(`${id} is on the plan ${plan}`);
      }),
    );
}

const administer: typeof administerOrganizations = async (config, work) => {
  const administration = await import("./organization-administration.ts");
  return administration.administerOrganizations(config, work);
};

function parseId(text: string): string {
  if (!/^acc_[0-9a-z]{26}$/.test(text)) throw new InvalidArgumentError("It is not an organization's id.");
  return text;
}
