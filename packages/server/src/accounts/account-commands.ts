import { Argument, type Command, Option } from "commander";
import { type Plan, plans } from "../config/config.ts";
import { loadConfig } from "../config/config-files.ts";
import type { AccountLine } from "./account-administration.ts";
import {
  type AccountStateCommandDependencies,
  addAccountStateCommands,
  parseEmail,
  parseNewEmail,
} from "./account-state-commands.ts";
import { administer } from "./administer.ts";

export interface AccountCommandDependencies extends AccountStateCommandDependencies {
  /** The password that the operator types, or puts into standard input. */
  readonly readPassword: () => Promise<string>;
  /** The `--help` text about the settings of every command. */
  readonly settings: string;
}

const passwordHelp = `
The password is never an argument, where other users of the machine could read it.
At a terminal it is asked for twice, without being shown; else the first line of
standard input is taken. It has 10 to 128 characters, and is
not among those that are tried first.`;

/** `sealpost-server account …`: alongside a running service, or without one. */
export function addAccountCommands(program: Command, dependencies: AccountCommandDependencies): void {
  const { settings, exitCodes } = dependencies;
  const account = program
    .command("account")
    .description(
      "Create, invite, list, disable, verify, move, delete and export accounts, set plans and passwords, end access. Works alongside a running service.",
    )
    .addHelpText("after", `${settings}\n${exitCodes}`);
  addCreate(account, dependencies);
  addList(account, dependencies);
  addSetPlan(account, dependencies);
  addResetPassword(account, dependencies);
  addResetSecondFactor(account, dependencies);
  addAccountStateCommands(account, dependencies);
  addOperator(account, dependencies);
}

function addCreate(
  account: Command,
  { environment, print, readPassword, exitCodes }: AccountCommandDependencies,
): void {
  account
    .command("create")
    .description("Create an account. Allowed whatever SEALPOST_SIGNUP says.")
    .requiredOption("--email <address>", "the email address to sign in with", parseNewEmail)
    .option("--name <name>", "a name to show", "")
    .addOption(planOption("the plan; SEALPOST_DEFAULT_PLAN when omitted"))
    .addHelpText(
      "after",
      `${passwordHelp}
${exitCodes}

Examples:
  sealpost-server account create --email you@example.com
  pwgen -s 24 1 | tee password | sealpost-server account create --email you@example.com --plan pro`,
    )
    .action(async (options: { email: string; name: string; plan?: Plan }) => {
      const config = loadConfig(environment);
      const password = await readPassword();
      const plan = options.plan ?? config.defaultPlan;
      const id = await administer(config, (accounts) => accounts.create({ ...options, password, plan }));
      print(`Created ${id} for ${options.email} on the ${plan} plan`);
    });
}

function addList(account: Command, { environment, print, exitCodes }: AccountCommandDependencies): void {
  account
    .command("list")
    .description("List the accounts with what they store, and how much they may.")
    .option(
      "--json",
      "print one JSON object a line: id, email, plan, bytes, bytesMax (null: any number), operator, disabled",
    )
    .addHelpText(
      "after",
      `
Columns, with a tab between: id, email address, plan, bytes stored, bytes at most,
how full, "operator" for an operator of the instance, "disabled". "-" where no quota holds, for
the address of an organization that is no person's account, and for the plan of a
person who has no organization of their own.
${exitCodes}

Example:
  sealpost-server account list | sort -t "$(printf '\\t')" -k 4 -n -r | head`,
    )
    .action(({ json = false }: { json?: boolean }) =>
      administer(loadConfig(environment), async (accounts) => {
        for await (const line of accounts.list()) print(json ? JSON.stringify(line) : describeAccount(line));
      }),
    );
}

function addSetPlan(account: Command, { environment, print, exitCodes }: AccountCommandDependencies): void {
  account
    .command("set-plan")
    .description("Put an account on another plan. It counts from the next request.")
    .requiredOption("--email <address>", "the account's email address", parseEmail)
    .addOption(planOption("the plan").makeOptionMandatory())
    .addHelpText(
      "after",
      `
A plan says how many API keys the account may have: free 5, starter 10, pro 25,
enterprise any number. Keys beyond a smaller plan's number stay; no more can be made.
Where quotas hold (SEALPOST_QUOTAS) it also limits what submissions take: 1, 10 or
100 GiB, or any number. What is stored already stays.
${exitCodes}

Example:
  sealpost-server account set-plan --email you@example.com --plan pro`,
    )
    .action(async ({ email, plan }: { email: string; plan: Plan }) => {
      const id = await administer(loadConfig(environment), (accounts) => accounts.setPlan(email, plan));
      print(`${id} (${email}) is on the ${plan} plan`);
    });
}

function addResetPassword(
  account: Command,
  { environment, print, readPassword, exitCodes }: AccountCommandDependencies,
): void {
  account
    .command("reset-password")
    .description("Give an account another password, end its sessions and revoke its API keys.")
    .requiredOption("--email <address>", "the account's email address", parseEmail)
    .option("--keep-api-keys", "leave the API keys valid")
    .addHelpText(
      "after",
      `${passwordHelp}
Everybody who is signed in to the account is signed out at once. Its API keys are
revoked, because somebody else may have made one; with --keep-api-keys they stay valid.
${exitCodes}

Example:
  sealpost-server account reset-password --email you@example.com`,
    )
    .action(async ({ email, keepApiKeys = false }: { email: string; keepApiKeys?: boolean }) => {
      const config = loadConfig(environment);
      const password = await readPassword();
      const { id, count } = await administer(config, (accounts) =>
        accounts.resetPassword(email, password, keepApiKeys),
      );
      const keys = keepApiKeys ? "its API keys stay valid" : `API keys revoked: ${count}`;
      print(`${id} (${email}) has another password, and its sessions have ended; ${keys}`);
    });
}

function addResetSecondFactor(account: Command, { environment, print, exitCodes }: AccountCommandDependencies): void {
  account
    .command("reset-second-factor")
    .description(
      "Take an account's second factor and its passkeys away, when its owner lost the device and the backup codes.",
    )
    .requiredOption("--email <address>", "the account's email address", parseEmail)
    .addHelpText(
      "after",
      `
From then on the password alone signs in. Make sure that it is the owner who asks.
Sessions and API keys stay valid. The account's audit log tells its owner.
${exitCodes}

Example:
  sealpost-server account reset-second-factor --email you@example.com`,
    )
    .action(async ({ email }: { email: string }) => {
      const id = await administer(loadConfig(environment), (accounts) => accounts.resetSecondFactor(email));
      print(`${id} (${email}) has no second factor any more`);
    });
}

function addOperator(account: Command, { environment, print, exitCodes }: AccountCommandDependencies): void {
  account
    .command("operator")
    .description("Let a person use the instance page, or no longer.")
    .argument("<email>", "the account's email address", parseEmail)
    .addArgument(new Argument("<on|off>", "whether they are an operator").choices(["on", "off"]))
    .addHelpText(
      "after",
      `
An operator sees organizations, accounts, storage, health and failed emails of this
instance on a page of the dashboard, changes plans, invites, disables, and ends access.
Nothing that was submitted, no forms. The page wants a second factor. It gives no
rights in any organization. "off" holds from the next request on. Both are in the audit
log, and emailed to the person.
${exitCodes}

Example:
  sealpost-server account operator you@example.com on`,
    )
    .action(async (email: string, state: "on" | "off") => {
      const isOperator = state === "on";
      const { id, wasSoAlready } = await administer(loadConfig(environment), (accounts) =>
        accounts.setOperator(email, isOperator),
      );
      const [now, before] = isOperator
        ? ["an operator now", "an operator already"]
        : ["no operator any more", "no operator"];
      print(`${id} (${email}) is ${wasSoAlready ? before : now}`);
    });
}

function describeAccount({ id, email, plan, bytes, bytesMax, operator, disabled }: AccountLine): string {
  const share = bytesMax === null ? "-" : `${Math.floor((bytes / bytesMax) * 100)} %`;
  const marks = [operator ? "operator" : "-", disabled ? "disabled" : "-"];
  return [id, email ?? "-", plan ?? "-", bytes, bytesMax ?? "-", share, ...marks].join("\t");
}

function planOption(description: string): Option {
  return new Option("--plan <plan>", description).choices(plans);
}
