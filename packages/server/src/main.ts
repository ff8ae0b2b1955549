#!/usr/bin/env node
import { createInterface } from "node:readline/promises";
import { Command, Option } from "commander";
import { createAccountAdministration } from "./accounts/account-administration.ts";
import { systemClock } from "./clock.ts";
import { ConfigError, parseConfig, plans } from "./config.ts";
import { startService } from "./service.ts";
import { version } from "./version.ts";

/** Exit codes, shown by `--help`: 0 done · 1 failed · 2 wrong arguments or configuration. */
const failed = 1;
const misused = 2;

const program = new Command("sealpost-server")
  .description("The Sealpost service: collects form submissions that only the form's owner can read.")
  .version(version)
  .showHelpAfterError("(--help shows how it is used)")
  .addHelpText(
    "after",
    "\nSettings come from the environment (SEALPOST_…); the README lists them.\nExit codes: 0 done, 1 failed, 2 wrong arguments or configuration.",
  )
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : misused));

program.command("serve", { isDefault: true }).description("Start the service (the default).").action(serve);

const account = program.command("account").description("Manage accounts on this machine.");
account
  .command("create")
  .description("Create an account. The password is asked for, or read from standard input.")
  .requiredOption("--email <address>", "the e-mail address to sign in with")
  .option("--name <name>", "a name to show", "")
  .addOption(new Option("--plan <plan>", "the plan; SEALPOST_DEFAULT_PLAN when omitted").choices(plans))
  .action(createAccount);

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = error instanceof ConfigError ? misused : failed;
}

async function serve(): Promise<void> {
  const service = await startService({ config: parseConfig(process.env), clock: systemClock });
  process.stdout.write(`Sealpost ${version} is ready at ${service.url}\n`);
  if (service.setupToken !== undefined) {
    process.stdout.write(
      `There is no account yet. Create one with: npm run sealpost-server -- account create --email you@example.com\n`,
    );
    process.stdout.write(
      `or sign up at ${service.url}/api/auth/sign-up/email with the setupToken ${service.setupToken}\n`,
    );
  }
  let isStopping = false;
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      // The second signal ends at once: leases cover what was in flight.
      if (isStopping) process.exit(failed);
      isStopping = true;
      service.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
          process.exit(failed);
        },
      );
    });
  }
}

async function createAccount(options: { email: string; name: string; plan?: (typeof plans)[number] }): Promise<void> {
  const config = parseConfig(process.env);
  const administration = await createAccountAdministration(config);
  try {
    const password = await readPassword();
    const id = await administration.create({
      email: options.email,
      name: options.name,
      password,
      plan: options.plan ?? config.defaultPlan,
    });
    process.stdout.write(`Created ${id} for ${options.email}\n`);
  } finally {
    await administration.close();
  }
}

/** From standard input when it is a pipe; else asked for, without showing it. */
async function readPassword(): Promise<string> {
  if (process.stdin.isTTY) process.stderr.write("Password: ");
  const lines = createInterface({
    input: process.stdin,
    terminal: process.stdin.isTTY,
    ...(process.stdin.isTTY && { output: undefined }),
  });
  for await (const line of lines) {
    lines.close();
    if (process.stdin.isTTY) process.stderr.write("\n");
    return line;
  }
  throw new Error("A password is needed: type it, or send it on standard input");
}
