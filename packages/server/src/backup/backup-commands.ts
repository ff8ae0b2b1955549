import { statSync } from "node:fs";
import { type Command, InvalidArgumentError } from "commander";
import { loadConfig } from "../config/config-files.ts";
import { heldBackDays } from "../retention/held-back.ts";
import type { Clock } from "../time/clock.ts";
import { keepNewest } from "./keep-newest.ts";
import type { BeforeEnd } from "./part-folder.ts";
import type { RestoredDeletion, RestoredMove } from "./restored-access-store.ts";

export interface Progress {
  readonly step: string;
  readonly table: string;
  readonly rows: number;
  readonly total: number;
}

export interface BackupCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** A line on standard output. */
  readonly print: (line: string) => void;
  readonly beforeEnd: BeforeEnd;
  readonly onProgress: (progress: Progress) => void;
  readonly exitCodes: string;
}

function parseCount(text: string): number {
  if (!/^[1-9][0-9]{0,3}$/.test(text)) throw new InvalidArgumentError("It is a whole number from 1 to 9999.");
  return Number(text);
}

/** A line of what a restore prints. */
export function describeMove(move: RestoredMove): string {
  const date = (milliseconds: number) => new Date(milliseconds).toISOString();
  const email = JSON.stringify(move.email);
  switch (move.kind) {
    case "waiting":
      return `waiting  ${email}  was to become ${JSON.stringify(move.to)}: ended`;
    case "moved":
      return `moved  ${email}  was ${JSON.stringify(move.from)}: in force, also if it was undone since; can be undone until ${date(move.undoableUntil)}`;
    case "undone":
      return `undone  ${email}  at ${date(move.undoneAt)}`;
    default:
      return move satisfies never;
  }
}

/** The same. */
export const describeDeletion = ({ kind, id, name, at }: RestoredDeletion): string =>
  `${kind}  ${id}  ${JSON.stringify(name)}  was to be deleted on ${new Date(at).toISOString()}`;

/** `sealpost-server backup` and `sealpost-server restore`. */
export function addBackupCommands(program: Command, dependencies: BackupCommandDependencies): void {
  const { environment, clock, print, beforeEnd, onProgress, exitCodes } = dependencies;

  program
    .command("backup")
    .description("Write the whole instance into one file, while it is served.")
    .requiredOption("--to <place>", "the new file, or a folder in which it is named by the time")
    .option("--keep <count>", "remove the oldest others in that folder, so that so many are left", parseCount)
    .addHelpText(
      "after",
      `
The file has everything as it was at one moment: accounts, forms, submissions,
deliveries that are still to be made. It is read again and compared by counts and
hashes before it gets its name; only its owner can read it. Works for SQLite and for
PostgreSQL, and for both the file is the same.

The secret is not in it, so that who finds a backup can't use the webhook secrets in
it. Keep it apart: SEALPOST_SECRET, or the file \`secret\` in the data folder. Without
the secret that it was made with, a backup can't be restored.

A backup that is interrupted leaves nothing. One that is killed leaves a folder that
ends with .part, which the next backup in the same place removes.
${exitCodes}

Examples:
  sealpost-server backup --to /var/backups/sealpost/
  sealpost-server backup --to /var/backups/sealpost/ --keep 14`,
    )
    .action(async ({ to, keep }: { to: string; keep?: number }, command: Command) => {
      if (keep !== undefined && !(statSync(to, { throwIfNoEntry: false })?.isDirectory() ?? false))
        command.error("error: --keep goes with a folder: name one with --to");
      const config = loadConfig(environment);
      const { backUp } = await import("./backup.ts");
      const { file, rows } = await backUp({ config, to, now: clock.now(), beforeEnd, onProgress });
      print(`Backed up and compared ${rows} rows: ${file}`);
      if (keep === undefined) return;
      const { removed, ahead } = keepNewest(file, keep);
      for (const name of removed) print(`Removed ${name}`);
      if (ahead.length > 0)
        print(
          `Named by a time that is still to come, so neither counted nor removed: ${ahead.join(", ")}. The clock was wrong then, or is now`,
        );
    });

  program
    .command("restore")
    .description("Make an instance of a backup, where there is none.")
    .allowExcessArguments()
    .requiredOption("--from <file>", "a file that `sealpost-server backup` has written")
    .option("--secret-file <file>", "the secret of the instance, if it is neither set nor in the data folder")
    .option("--revoke-keys", "revoke all API keys that the backup brings back")
    .addHelpText(
      "after",
      `
Restores into SEALPOST_DATA, where there must be no database yet, or into an empty
PostgreSQL database (SEALPOST_DATABASE_URL): a backup of one may be restored to the
other. Everything is compared with the counts and hashes in the backup first. Nothing
is ever restored over data. To put a database in SEALPOST_DATA aside, stop its service and
move all files whose names begin with sealpost.sqlite together: the log next to it
(sealpost.sqlite-wal) holds its newest submissions, and would damage another database.

The secret that is checked is the one with which a service would start here, and that of
--secret-file as well: SEALPOST_SECRET, else the file \`secret\` in SEALPOST_DATA. Where
neither is there, that of --secret-file is written to SEALPOST_DATA.

Links that unsubscribe stay valid, and only switch notices off.
Sessions, sign-ins that wait for a code, mailed links and invitations are not restored:
everybody signs in again, with the password of then. API keys come back, also those that
were revoked since: they are listed, and --revoke-keys revokes them. Members come back,
also those who were removed since: of organizations with more than one they are listed.
Passkeys and linked sign-ins come back, also those that were removed since: they are
listed. So are the operators of then, and the accounts that were disabled then: all
others are enabled. Moves of accounts to another address come back, also those that were undone
since: they are listed, with those that waited and those that were undone before, since
somebody else may have been in the account. Deletions of accounts and organizations that
had been asked for are called off, and listed: they may have been called off since. What else works again is counted: passwords, codes, copies of personal keys,
addresses and secrets of webhooks.

For ${heldBackDays} days after the start nothing is deleted for its age: legal holds and longer retention
that were set since the backup are gone, and owners need time to set them again. They get an
email if submissions of theirs would go. To change that: sealpost-server deletions --help

Deliveries that were waiting when the backup was made are made after the start. Stop
the old instance for good before you serve the restored one, or both deliver.
${exitCodes}

Example:
  SEALPOST_DATA=./restored sealpost-server restore --from sealpost-20261121T040000Z.backup \\
    --secret-file ./data/secret`,
    )
    .action(
      async (
        { from, secretFile, revokeKeys = false }: { from: string; secretFile?: string; revokeKeys?: boolean },
        command: Command,
      ) => {
        if (command.args.length > 0)
          command.error(
            `error: restore takes one file, and ${from} is followed by ${command.args.join(", ")}. If a shell made several of a pattern like sealpost-*.backup, write the name of one`,
          );
        const config = loadConfig(environment);
        const options = { config, from, secretFile, revokesKeys: revokeKeys, now: clock.now(), onProgress };
        const { restore } = await import("./restore.ts");
        const { rows, createdAt, apiKeys, members, signIns, operators, disabled, moves, deletions, workingAgain } =
          await restore(options);
        print(`Restored and compared ${rows} rows, as they were at ${new Date(createdAt).toISOString()}`);
        print(
          "Sessions, mailed links and invitations have ended: everybody signs in again, with the password of then. Links that unsubscribe stay valid",
        );
        if (apiKeys.length > 0)
          print(
            revokeKeys
              ? `API keys revoked: ${apiKeys.length}`
              : "API keys that are valid again, also if they were revoked since:",
          );
        // Names are the owners' own text, and this may be a terminal.
        if (!revokeKeys)
          for (const { prefix, name, email } of apiKeys) print(`  ${prefix}…  ${email}  ${JSON.stringify(name)}`);
        if (members.length > 0) print("Members of organizations, also if they were removed or had another role since:");
        for (const { organizationId, email, role } of members)
          print(`  ${organizationId}  ${JSON.stringify(email)}  ${role}`);
        if (signIns.length > 0) print("Passkeys and linked sign-ins that work again, also if they were removed since:");
        for (const { kind, email, name } of signIns)
          print(`  ${kind}  ${JSON.stringify(email)}  ${JSON.stringify(name)}`);
        if (operators.length > 0) print("Operators of the instance, also if their right was taken away since:");
        for (const email of operators) print(`  ${JSON.stringify(email)}`);
        print(
          disabled.length > 0
            ? "All accounts are enabled, also if they were disabled since, but for these:"
            : "All accounts are enabled, also if they were disabled since",
        );
        for (const email of disabled) print(`  ${JSON.stringify(email)}`);
        if (moves.length > 0) print("Moves of accounts to another address, by anyone who was in the account then:");
        for (const move of moves) print(`  ${describeMove(move)}`);
        if (deletions.length > 0) print("Deletions that had been asked for, and are called off: ask for them again");
        for (const deletion of deletions) print(`  ${describeDeletion(deletion)}`);
        print(
          `Nothing is deleted for its age for ${heldBackDays} days after the start: legal holds and retention of since the backup are gone`,
        );
        print("Works again as it was then, also if it was taken back or replaced since:");
        for (const { count, name } of workingAgain) print(`  ${count} ${name}`);
      },
    );
}
