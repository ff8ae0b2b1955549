import type { Command } from "commander";
import { type AccountStateCommandDependencies, parseEmail } from "../accounts/account-state-commands.ts";
import { loadConfig } from "../config/config-files.ts";
import { createOwnAddress } from "../instance/own-address.ts";
import { pageUrl } from "../instance/page-url.ts";
import { readAddress } from "../organizations/invitation-input.ts";

/** `sealpost-server account invite`: what operators do on the instance page. */
export function addInviteCommand(program: Command, dependencies: AccountStateCommandDependencies): void {
  const { environment, print, exitCodes } = dependencies;
  const account = program.commands.find((command) => command.name() === "account");
  if (account === undefined) throw new Error("This command belongs below `account`");
  account
    .command("invite")
    .description("Invite somebody to make an account, also where sign-up is closed.")
    .argument("<email>", "the address to invite", parseEmail)
    .addHelpText(
      "after",
      `
Prints a link, which works once, within 7 days, and for this address alone. If the instance sends emails,
another one goes to the address; who uses that one has a verified address. The person chooses name and
password, and gets an organization of their own. Inviting an address again ends the invitation before.
Operators see open invitations, and take them back, on the instance page.
${exitCodes}

Example:
  sealpost-server account invite you@example.com`,
    )
    .action(async (email: string) => {
      const config = loadConfig(environment);
      const { invite } = await import("./invitation-administration.ts");
      const { token, isMailed } = await invite(config, readAddress(email));
      print(pageUrl(createOwnAddress(config).baseUrl(), "invitation", { secret: token }));
      print(
        isMailed
          ? `${email} also gets a link by email. Either works once, within 7 days.`
          : `No email is sent: give the link to ${email} yourself. It works once, within 7 days.`,
      );
    });
}
