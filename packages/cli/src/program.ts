import { describeVersion } from "@sealpost/wire";
import { Command } from "commander";
import { addCompletionCommand } from "./completion-command.ts";
import type { Context } from "./context.ts";
import { exitCodes } from "./exit-code.ts";
import { addFormsCommands } from "./forms-command.ts";
import { addKeysCommands } from "./keys-command.ts";
import { addLoginCommands } from "./login-command.ts";
import { addMembersCommands } from "./members-command.ts";
import { addOrganizationsCommands } from "./organizations-command.ts";
import { parseProfileName, profilePath } from "./profiles.ts";
import { addProfilesCommands } from "./profiles-command.ts";
import { addSessionsCommands } from "./sessions-command.ts";
import { addSubmissionsCommands } from "./submissions-command.ts";
import { addUsageCommand } from "./usage-command.ts";
import { addVerifyCommand } from "./verify/verify-command.ts";
import { addVerifyLogCommand } from "./verify-log/verify-log-command.ts";
import { addWebhooksCommands } from "./webhooks-command.ts";

/** The whole command line. It throws a commander error instead of ending the process. */
export function createProgram(outer: Context, version: string): Command {
  const { output, errors } = outer;
  const environment = { ...outer.environment };
  const context = { ...outer, environment };
  const program = new Command("sealpost")
    .description(
      "Manages the forms of a Sealpost instance, and opens on this machine what visitors sealed in their browsers.\n\n" +
        "Results go to standard output, everything else to standard error.",
    )
    .version(describeVersion(version))
    .option("--profile <name>", "the instance and account to act on, as profiles list shows them")
    // Named on the command line, it goes before all that the environment says.
    .on("option:profile", (name: string) => {
      environment.SEALPOST_PROFILE = parseProfileName(name);
      delete environment.SEALPOST_URL;
      delete environment.SEALPOST_TOKEN;
    })
    .helpCommand(true)
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError("(add --help for more)")
    .exitOverride()
    .configureOutput({ writeOut: (text) => output.write(text), writeErr: (text) => errors.write(text) })
    .addHelpText("after", `\n${manual(profilePath(environment, "<profile>"))}`);
  addLoginCommands(program, context);
  addProfilesCommands(program, context);
  addFormsCommands(program, context);
  addSubmissionsCommands(program, context);
  addWebhooksCommands(program, context, version);
  addKeysCommands(program, context);
  addMembersCommands(program, context);
  addOrganizationsCommands(program, context);
  addSessionsCommands(program, context);
  addUsageCommand(program, context);
  addVerifyCommand(program, context, version);
  addVerifyLogCommand(program, context);
  addCompletionCommand(program, context);
  return program;
}

function manual(profile: string): string {
  const codes = Object.values(exitCodes).map(([code, meaning]) => `  ${String(code).padEnd(4)} ${meaning}`);
  return `Environment:
  SEALPOST_PROFILE  profile to use instead of the current one, as --profile does
  SEALPOST_URL      address of the instance, instead of the one signed in to
  SEALPOST_TOKEN    API key or session token to use instead of what \`login\` kept;
                    needs SEALPOST_URL unless all profiles are of one instance
  XDG_CONFIG_HOME   folder of configuration files (default: ~/.config)

--profile goes before all of these, and both SEALPOST_URL and SEALPOST_TOKEN
go before SEALPOST_PROFILE.

Files:
  ${profile}
      what \`login\` keeps; only you can read it
  sealpost-<form>-v<version>.key.json
      a form's private key; without it nobody can open what was submitted

Exit codes:
${codes.join("\n")}

Examples:
  $ sealpost login https://forms.example.org
  $ sealpost forms create Contact
  $ sealpost submissions export form_… --key sealpost-contact-v1.key.json > contact.csv
  $ sealpost webhooks listen --form form_… --forward http://localhost:3000/`;
}
