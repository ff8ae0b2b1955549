#!/usr/bin/env node
import { Command, InvalidArgumentError, Option } from "commander";
import type { AccountAdministration, AccountLine, Switched } from "./accounts/account-administration.ts";
import { readPassword } from "./accounts/read-password.ts";
import { addBackupCommands } from "./backup/backup-commands.ts";
import { createShowProgress } from "./backup/show-progress.ts";
import { systemClock } from "./clock.ts";
import { type Config, ConfigError, type Plan, plans } from "./config.ts";
import { loadConfig } from "./config-files.ts";
import { addCopyCommand } from "./copy/copy-command.ts";
import { isDatabaseUnavailable } from "./database/errors.ts";
import { explainFolderFailure } from "./database/folder-failure.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { explainListenFailure } from "./http/listen-failure.ts";
import { addUpProcessMetrics } from "./metrics/process-metrics.ts";
import { isOneOfProcesses, joinProcesses, type Ready, startProcesses } from "./processes.ts";
import { version } from "./version.ts";
import { startWatchdog } from "./watchdog/watchdog.ts";

/** Exit codes, shown by `--help`: 0 done · 1 failed · 2 wrong arguments or configuration · 3 stood still (`startWatchdog`). */
const failed = 1;
const misused = 2;

const exitCodes = `
Exit codes:
  0  done
  1  failed: the message on standard error says why
  2  wrong arguments or configuration`;

const settings = `
Settings come from the environment, the same for every command:
  SEALPOST_DATA            where the database and the secret are (./data)
  SEALPOST_SECRET          the secret, if it is not in the data folder
  SEALPOST_DEFAULT_PLAN    the plan of new accounts (free)
The README lists them all.`;

const passwordHelp = `
The password is never an argument, where other users of the machine could read it.
At a terminal it is asked for twice, without being shown; else the first line of
standard input is taken. It has 10 to 128 characters, and is
not among those that are tried first.`;

const program = new Command("sealpost-server")
  .description("The Sealpost service: collects form submissions that only the form's owner can read.")
  .version(version)
  .showHelpAfterError("(--help shows how it is used)")
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : misused))
  .addHelpText(
    "after",
    `${settings}
${exitCodes}

Examples:
  sealpost-server
  sealpost-server account create --email you@example.com
  sealpost-server account create --help`,
  );

program
  .command("serve", { isDefault: true })
  .description("Start the service. This is what happens without a command.")
  .addOption(
    new Option("--processes <number>", "how many processes serve the port together; PostgreSQL only")
      .argParser(parseProcesses)
      .default(1),
  )
  .addHelpText(
    "after",
    `
Prints one line with its address when it is ready. On an instance without accounts
it also prints how to make the first one.
SIGTERM and SIGINT stop it: open requests and running webhook attempts may end first.
A second signal ends it at once, and loses nothing that was answered.

With --processes a process that ends by itself is started again. One for each core is
a good number; only one service may use a SQLite data folder.

A service that has stood still for 30 seconds, and so answers nobody, ends itself
with 3 and says where it stood. Whatever started it should start it again.

The README lists the settings, all of them SEALPOST_… in the environment.
${exitCodes}
  3  stood still`,
  )
  // For tests, which can't wait as long.
  .addOption(new Option("--watchdog-milliseconds <number>").argParser(Number).hideHelp())
  .action(serve);

const showProgress = createShowProgress(process.stderr);
const print = (line: string) => void process.stdout.write(`${line}\n`);

addCopyCommand(program, {
  databaseUrl: process.env.SEALPOST_DATABASE_URL,
  print,
  onProgress: showProgress,
  exitCodes,
});

addBackupCommands(program, {
  environment: process.env,
  clock: systemClock,
  print,
  onProgress: showProgress,
  exitCodes,
});

addDoctorCommand(program, {
  environment: process.env,
  clock: systemClock,
  print,
  fail() {
    process.exitCode = failed;
  },
});

const account = program
  .command("account")
  .description(
    "Create, list, disable and verify accounts, set plans and passwords, end access. Works beside a running service.",
  )
  .addHelpText("after", `${settings}\n${exitCodes}`);

account
  .command("create")
  .description("Create an account. Allowed whatever SEALPOST_SIGNUP says.")
  .requiredOption("--email <address>", "the e-mail address to sign in with", parseEmail)
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
    const config = loadConfig(process.env);
    const password = await readPassword(process.stdin, process.stderr);
    const plan = options.plan ?? config.defaultPlan;
    const id = await administer(config, (accounts) => accounts.create({ ...options, password, plan }));
    process.stdout.write(`Created ${id} for ${options.email} on the ${plan} plan\n`);
  });

account
  .command("list")
  .description("List the accounts with what they store, and how much they may.")
  .option("--json", "print one JSON object a line: id, email, plan, bytes, bytesMax (null: any number)")
  .addHelpText(
    "after",
    `
Columns, with a tab between: id, e-mail address, plan, bytes stored, bytes at most,
how full. "-" where no quota holds, or where what was there at an upgrade is still
being counted.
${exitCodes}

Example:
  sealpost-server account list | sort -t "$(printf '\\t')" -k 4 -n -r | head`,
  )
  .action(({ json = false }: { json?: boolean }) =>
    administer(loadConfig(process.env), async (accounts) => {
      for await (const line of accounts.list()) print(json ? JSON.stringify(line) : describeAccount(line));
    }),
  );

account
  .command("set-plan")
  .description("Put an account on another plan. It counts from the next request.")
  .requiredOption("--email <address>", "the account's e-mail address", parseEmail)
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
    const id = await administer(loadConfig(process.env), (accounts) => accounts.setPlan(email, plan));
    process.stdout.write(`${id} (${email}) is on the ${plan} plan\n`);
  });

account
  .command("reset-password")
  .description("Give an account another password, end its sessions and revoke its API keys.")
  .requiredOption("--email <address>", "the account's e-mail address", parseEmail)
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
    const config = loadConfig(process.env);
    const password = await readPassword(process.stdin, process.stderr);
    const { id, count } = await administer(config, (accounts) => accounts.resetPassword(email, password, keepApiKeys));
    const keys = keepApiKeys ? "its API keys stay valid" : `API keys revoked: ${count}`;
    process.stdout.write(`${id} (${email}) has another password, and its sessions have ended; ${keys}\n`);
  });

account
  .command("reset-second-factor")
  .description("Take an account's second factor away, when its owner lost the device and the backup codes.")
  .requiredOption("--email <address>", "the account's e-mail address", parseEmail)
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
    const id = await administer(loadConfig(process.env), (accounts) => accounts.resetSecondFactor(email));
    process.stdout.write(`${id} (${email}) has no second factor any more\n`);
  });

/** What takes an address alone. `work` gives the line to print. */
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

Its forms go on taking submissions, which may not come a second time, and webhooks go
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
    description: "Vouch for an account's e-mail address, where the mail to verify it does not arrive.",
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

for (const { name, description, help, work } of shortCommands)
  account
    .command(name)
    .description(description)
    .requiredOption("--email <address>", "the account's e-mail address", parseEmail)
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
      const line = await administer(loadConfig(process.env), (accounts) => work(accounts, email));
      process.stdout.write(`${line}\n`);
    });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${describe(error)}\n`);
  process.exitCode = error instanceof ConfigError ? misused : failed;
}

interface ServeOptions {
  readonly processes: number;
  readonly watchdogMilliseconds?: number;
}

async function serve({ processes: count, watchdogMilliseconds }: ServeOptions): Promise<void> {
  const config = loadConfig(process.env);
  if (count > 1 && config.databaseUrl === undefined)
    throw new ConfigError(["--processes needs SEALPOST_DATABASE_URL: a SQLite database is served by one process"]);
  if (count > 1 && !isOneOfProcesses()) return serveTogether(count, config);
  // Loading the service takes half of the time of every other command.
  const { startService } = await import("./service.ts");
  const service = await startService({ config, clock: systemClock }).catch((error: unknown) => {
    throw explainListenFailure(error, config);
  });
  // From here on: a start and its migrations may take as long as they take, and so may the end.
  const watchdog = startWatchdog(watchdogMilliseconds);
  let isStopping = false;
  const stop = () => {
    if (isStopping) return;
    isStopping = true;
    const stopped = watchdog.stop().then(() => service.stop());
    stopped.then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`${describe(error)}\n`);
        process.exit(failed);
      },
    );
  };
  const isOneOfMany = joinProcesses({ url: service.url, setupToken: service.setupToken }, stop);
  onSignals(() => {
    // The second signal ends at once: leases cover what was in flight. One of many gets a signal at a terminal and from
    // its parent, and the parent ends it.
    if (isStopping && !isOneOfMany) process.exit(failed);
    stop();
  });
  if (!isOneOfMany) announce(service, config);
}

async function serveTogether(count: number, config: Config): Promise<void> {
  if (config.metricsToken !== undefined) addUpProcessMetrics();
  const report = (line: string) => void process.stderr.write(`${line}\n`);
  const processes = startProcesses({ count, onReady: (ready) => announce(ready, config), report });
  let isStopping = false;
  onSignals(() => {
    if (isStopping) {
      processes.kill();
      process.exit(failed);
    }
    isStopping = true;
    processes.stop();
  });
  process.exitCode = await processes.ended;
}

function announce({ url, setupToken }: Ready, { signUp }: Config): void {
  const ready = `Sealpost ${version} is ready at ${url}\n`;
  if (setupToken === undefined) return void process.stdout.write(ready);
  const way =
    signUp === "closed"
      ? "Sign-up is closed: create one with sealpost-server account create --email you@example.com"
      : `Create the first one at ${url}/setup?token=${setupToken}`;
  // At once: who waits for the first line has the second as well.
  process.stdout.write(`${ready}There is no account yet. ${way}\n`);
}

function onSignals(handle: () => void): void {
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, handle);
}

function describe(error: unknown): string {
  if (isDatabaseUnavailable(error))
    return `The database does not answer${error instanceof Error && error.message !== "" ? `: ${error.message}` : ""}`;
  return error instanceof Error ? error.message : String(error);
}

function parseProcesses(text: string): number {
  if (!/^[1-9][0-9]?$/.test(text)) throw new InvalidArgumentError("It is a whole number from 1 to 99.");
  return Number(text);
}

async function administer<Result>(
  config: Config,
  work: (administration: AccountAdministration) => Promise<Result>,
): Promise<Result> {
  try {
    const { createAccountAdministration } = await import("./accounts/account-administration.ts");
    const administration = await createAccountAdministration(config);
    try {
      return await work(administration);
    } finally {
      await administration.close();
    }
  } catch (error) {
    throw config.databaseUrl === undefined ? explainFolderFailure(error, config.dataFolder) : error;
  }
}

function describeAccount({ id, email, plan, bytes, bytesMax }: AccountLine): string {
  const share = bytesMax === null ? "-" : `${Math.floor((bytes / bytesMax) * 100)} %`;
  return [id, email, plan, bytes, bytesMax ?? "-", share].join("\t");
}

function planOption(description: string): Option {
  return new Option("--plan <plan>", description).choices(plans);
}

function parseEmail(text: string): string {
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(text)) throw new InvalidArgumentError("It is not an e-mail address.");
  return text;
}
