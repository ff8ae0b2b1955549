#!/usr/bin/env node
import { describeVersion, printableLines } from "@sealpost/wire";
import { Command } from "commander";
import { addAccountLifeCommands } from "./account-life/account-life-commands.ts";
import { addAccountCommands } from "./accounts/account-commands.ts";
import { readPassword } from "./accounts/read-password.ts";
import { addBackupCommands } from "./backup/backup-commands.ts";
import { createBeforeEnd } from "./backup/before-end.ts";
import { createShowProgress } from "./backup/show-progress.ts";
import { ConfigError } from "./config/config.ts";
import { addCopyCommand } from "./copy/copy-command.ts";
import { isDatabaseUnavailable } from "./database/errors.ts";
import { NoPrimaryError } from "./database/no-primary-error.ts";
import { confirm } from "./distribution/confirm.ts";
import { addDistributeCommands } from "./distribution/distribute-command.ts";
import { addDoctorCommand } from "./doctor/doctor-command.ts";
import { version } from "./instance/version.ts";
import { addInviteCommand } from "./operators/invite-command.ts";
import { addOrganizationCommands } from "./operators/organization-commands.ts";
import { addSecretCommands } from "./operators/secret-commands.ts";
import { guardStreams } from "./output/guard-streams.ts";
import { openOutputs } from "./output/output.ts";
import { addDeletionsCommands } from "./retention/deletions-command.ts";
import { addServeCommand } from "./serve/serve-command.ts";
import { systemClock } from "./time/clock.ts";

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

// Node calls hybrid keys an experiment at their first use, which tells an operator nothing: the format's test vectors hold Node
// to its specification (packages/wire). Every other warning is printed.
const { emitWarning } = process;
process.emitWarning = (...parameters: unknown[]) => {
  const isOfHybridKeys = parameters[1] === "ExperimentalWarning" && /Web Crypto API/.test(String(parameters[0]));
  if (!isOfHybridKeys) Reflect.apply(emitWarning, process, parameters);
};

const program = new Command("sealpost-server")
  .description("The Sealpost service: collects form submissions that only the form's owner can read.")
  .version(describeVersion(version))
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

const { env: environment } = process;
// All that commands say: names, files and what a backup says of itself are others' text, and this may be a terminal.
const print = (line: string) => void process.stdout.write(`${printableLines(line)}\n`);
const endWith = (code: number) => {
  process.exitCode = code;
};

// Otherwise the signal opens Node's debugger, which every user of the machine may then use. The ways to start that we ship say so
// to Node.js as well, which keeps it shut from the first moment.
process.on("SIGUSR1", () => undefined);

// The service has outputs of its own, which never end it.
program.hook("preAction", (_program, command) => {
  const { stdout, stderr } = process;
  if (command.name() !== "serve") guardStreams({ stdout, stderr, fail: () => endWith(failed) });
});

addServeCommand(program, {
  environment,
  openOutputs: () => openOutputs(process.stdout, process.stderr),
  describe,
  onSignal: (handle) => {
    // SIGHUP: its terminal was closed, or a supervisor asks for settings to be read again, and a new start reads them.
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) process.on(signal, handle);
  },
  exit: (code) => process.exit(code),
  exitCodes,
});
addCopyCommand(program, {
  environment,
  print,
  onProgress: createShowProgress(process.stderr),
  exitCodes,
});
addDistributeCommands(program, {
  environment,
  print,
  confirm: (question) => confirm(process.stdin, process.stderr, question),
  exitCodes,
});
addBackupCommands(program, {
  environment,
  clock: systemClock,
  print,
  beforeEnd: createBeforeEnd(process),
  onProgress: createShowProgress(process.stderr, { isQuiet: true }),
  exitCodes,
});
addDoctorCommand(program, { environment, clock: systemClock, print, fail: () => endWith(failed) });
addAccountCommands(program, {
  environment,
  print,
  readPassword: () => readPassword(process.stdin, process.stderr),
  settings,
  exitCodes,
});
addAccountLifeCommands(program, {
  environment,
  print,
  write: (text) => void process.stdout.write(text),
  exitCodes,
});
addInviteCommand(program, { environment, print, exitCodes });
addSecretCommands(program, { environment, print, exitCodes });
addDeletionsCommands(program, { environment, clock: systemClock, print, exitCodes });
addOrganizationCommands(program, { environment, print, settings, exitCodes });

try {
  await program.parseAsync();
} catch (error) {
  process.stderr.write(`${printableLines(describe(error))}\n`);
  // At once: an open channel to a parent, a connection or a timer would keep alive what has failed.
  process.exit(error instanceof ConfigError ? misused : failed);
}

function describe(error: unknown): string {
  if (error instanceof NoPrimaryError) return error.message;
  if (isDatabaseUnavailable(error))
    return `The database does not answer${error instanceof Error && error.message !== "" ? `: ${error.message}` : ""}`;
  return error instanceof Error ? error.message : String(error);
}
