import { type Command, InvalidArgumentError } from "commander";
import { canSignInWith } from "../authentication/email-address.ts";
import { loadConfig } from "../config/config-files.ts";
import type { AccountAdministration, Switched } from "./account-administration.ts";
import { administer } from "./administer.ts";

export interface AccountStateCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** A line on standard output. */
  readonly print: (line: string) => void;
  /** The `--help` text about exit codes. */
  readonly exitCodes: string;
}

/** Commands that take only an address. `work` gives the line to print. */
const shortCommands: readonly {
  readonly name: string;
  readonly description: string;
  readonly help: string;
  readonly work: (accounts: AccountAdministration, email: string) => Promise<string>;
}[] = [
  {
    name: "disable",
    description: "Let nobody into an account: for one that was taken over, or misused.",
    help: `Sessions and their tokens end at once, API keys are refused from the next request on,
and nobody can sign in or set a new password by mail. Nothing is deleted.

Its forms keep accepting submissions, which may not come a second time, and webhooks continue
on to the addresses that are set. Once the account is enabled again, its owner should
look whether those are right.`,
    work: async (accounts, email) => describeSwitched(await accounts.disable(email), email, "disabled", "disabled"),
  },
  {
    name: "enable",
    description: "Let the owner of a disabled account in again.",
    help: `API keys that were not revoked count again, so after a take-over revoke them first
(revoke-keys) and set a new password (reset-password). Sessions stay ended.`,
    work: async (accounts, email) => describeSwitched(await accounts.enable(email), email, "enabled again", "enabled"),
  },
  {
    name: "verify",
    description: "Vouch for an account's email address, where the mail to verify it does not arrive.",
    help: "From then on the account makes forms and API keys. Make sure that the address is the owner's.",
    work: async (accounts, email) => describeSwitched(await accounts.verify(email), email, "verified", "verified"),
  },
  {
    name: "revoke-keys",
    description: "Revoke all API keys of an account.",
    help: `Programs that use one are refused from the next request on. Sessions stay, and so does
the password: who has a session can make a new key.`,
    work: async (accounts, email) => {
      const { id, count } = await accounts.revokeKeys(email);
      return `API keys of ${id} (${email}) revoked: ${count}`;
    },
  },
  {
    name: "end-sessions",
    description: "Sign everybody out of an account.",
    help: `Sign-ins that wait for a code, and mailed links, end as well. API keys and the password
stay: who knows it can sign in again.`,
    work: async (accounts, email) => {
      const { id, count } = await accounts.endSessions(email);
      return `Sessions of ${id} (${email}) ended: ${count}`;
    },
  },
];

/** A script may say it again: then it is as it was to be, and that is no failure. */
function describeSwitched({ id, wasSoAlready }: Switched, email: string, now: string, before: string): string {
  return `${id} (${email}) is ${wasSoAlready ? `${before} already` : now}`;
}

/** The commands of `sealpost-server account …` that take an address alone. */
export function addAccountStateCommands(
  account: Command,
  { environment, print, exitCodes }: AccountStateCommandDependencies,
): void {
  for (const { name, description, help, work } of shortCommands)
    account
      .command(name)
      .description(description)
      .requiredOption("--email <address>", "the account's email address", parseEmail)
      .addHelpText(
        "after",
        `
${help}
The account's audit log tells its owner.
${exitCodes}

Example:
  sealpost-server account ${name} --email you@example.com`,
      )
      .action(async ({ email }: { email: string }) => {
        const line = await administer(loadConfig(environment), (accounts) => work(accounts, email));
        print(line);
      });
}

/** An option's email address. */
export function parseEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) throw new InvalidArgumentError("It is not an email address.");
  return text;
}

/** The address that somebody is to sign in with. */
export function parseNewEmail(text: string): string {
  if (!canSignInWith(text))
    throw new InvalidArgumentError("It is not an email address that somebody can sign in with.");
  return text;
}
