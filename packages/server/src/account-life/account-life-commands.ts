import type { Command } from "commander";
import { type AccountStateCommandDependencies, parseEmail, parseNewEmail } from "../accounts/account-state-commands.ts";
import { lowerAddress } from "../authentication/email-address.ts";
import { loadConfig } from "../config/config-files.ts";
import type { AccountLifeAdministration } from "./account-life-administration.ts";

export interface AccountLifeCommandDependencies extends AccountStateCommandDependencies {
  /** A piece of standard output, without a line break. */
  readonly write: (text: string) => void;
}

/** The commands of `sealpost-server account …` about an account's address, its end, and all that is known of its person. */
export function addAccountLifeCommands(program: Command, dependencies: AccountLifeCommandDependencies): void {
  const account = program.commands.find((command) => command.name() === "account");
  if (account === undefined) throw new Error("These commands belong below `account`");
  addMove(account, dependencies);
  addDelete(account, dependencies);
  addKeep(account, dependencies);
  addExport(account, dependencies);
}

function addMove(account: Command, { environment, print, exitCodes }: AccountLifeCommandDependencies): void {
  account
    .command("move")
    .description("Move an account to another email address, where emails can't confirm it.")
    .argument("<old-address>", "the address until now", parseEmail)
    .argument("<new-address>", "the address to sign in with from now on", parseNewEmail)
    .addHelpText(
      "after",
      `
The new address counts as verified, so make sure that it is the owner's. Sessions, password, API keys
and forms stay. If the instance sends emails, the new address gets one. An address that an account
had until within the last seven days is taken: its owner may undo the move.
${exitCodes}

Example:
  sealpost-server account move you@old.example you@new.example`,
    )
    .action(async (from: string, to: string) => {
      const id = await work(environment, (accounts) => accounts.move(from, to));
      print(`${id} signs in with ${lowerAddress(to)}`);
    });
}

function addDelete(account: Command, { environment, print, exitCodes }: AccountLifeCommandDependencies): void {
  account
    .command("delete")
    .description("Delete an account after 30 days, in which its owner can keep it.")
    .requiredOption("--email <address>", "the account's email address", parseEmail)
    .option("--at-once", "without the 30 days: within a minute by the running service, or at its next start")
    .addHelpText(
      "after",
      `
Everybody is signed out. Organizations that nobody else belongs to go with the account, their forms and
submissions too; forms accept submissions until then. It is refused while others belong to an organization
that nobody else owns (sealpost-server organization make-owner), and while a form is under a legal hold.
An account that was moved to another address within seven days is deleted after these, since the address
before can take it back; with --at-once it can't any more.
Backups keep what they have.
${exitCodes}

Example:
  sealpost-server account delete --email you@example.com`,
    )
    .action(async ({ email, atOnce }: { email: string; atOnce?: true }) => {
      const { id, at } = await work(environment, (accounts) => accounts.delete(email, atOnce === true));
      print(`${id} (${email}) is deleted from ${new Date(at).toISOString()} on`);
    });
}

function addKeep(account: Command, { environment, print, exitCodes }: AccountLifeCommandDependencies): void {
  account
    .command("keep")
    .description("Keep an account after all that is to be deleted.")
    .requiredOption("--email <address>", "the account's email address", parseEmail)
    .addHelpText("after", `\n${exitCodes}\n\nExample:\n  sealpost-server account keep --email you@example.com`)
    .action(async ({ email }: { email: string }) => {
      const isKept = await work(environment, (accounts) => accounts.keep(email));
      print(`${email} is ${isKept ? "kept" : "not to be deleted: nothing changed"}`);
    });
}

function addExport(account: Command, { environment, write, exitCodes }: AccountLifeCommandDependencies): void {
  account
    .command("export")
    .description("Write everything that the instance knows about a person, as JSON.")
    .requiredOption("--email <address>", "the account's email address", parseEmail)
    .addHelpText(
      "after",
      `
For a person who asks (GDPR, articles 15 and 20) and can't sign in: make sure that it is them. It has no
secrets, and nothing about others; docs/accounts.md describes it. What forms received is not in it.
${exitCodes}

Example:
  sealpost-server account export --email you@example.com > account.json`,
    )
    .action(async ({ email }: { email: string }) => {
      await work(environment, async (accounts) => {
        for await (const piece of accounts.export(email)) write(piece);
      });
    });
}

/** Opens the database for one piece of work; its code is loaded only now, since most commands need none of it. */
async function work<Result>(
  environment: AccountStateCommandDependencies["environment"],
  run: (accounts: AccountLifeAdministration) => Promise<Result>,
): Promise<Result> {
  const { administerAccountLife } = await import("./account-life-administration.ts");
  return administerAccountLife(loadConfig(environment), run);
}
