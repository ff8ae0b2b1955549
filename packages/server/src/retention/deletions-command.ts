import { type Command, InvalidArgumentError } from "commander";
import { loadConfig } from "../config/config-files.ts";
import type { Clock } from "../time/clock.ts";
import { heldBackDays, heldBackDaysMax } from "./held-back.ts";

export interface DeletionsCommandDependencies {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  /** A line on standard output. */
  readonly print: (line: string) => void;
  readonly exitCodes: string;
}

/** `sealpost-server deletions status`, `wait` and `resume`. */
export function addDeletionsCommands(
  program: Command,
  { environment, clock, print, exitCodes }: DeletionsCommandDependencies,
): void {
  const deletions = program
    .command("deletions")
    .description("Hold back what is deleted for its age, after the database was set back.");

  deletions
    .command("status")
    .description("Show until when nothing is deleted for its age.")
    .addHelpText("after", `${exitCodes}\n\nExample:\n  sealpost-server deletions status`)
    .action(async () => {
      const { readWait } = await import("./deletions-administration.ts");
      print(await readWait(loadConfig(environment), clock.now()));
    });

  deletions
    .command("wait")
    .description("Delete nothing for its age for some days.")
    .option("--days <number>", "how many days from the next look of the service", parseDays, heldBackDays)
    .option("--call-off", "call off the deletions of accounts and organizations that were asked for")
    .addHelpText(
      "after",
      `
For a database that was set back to an earlier moment: legal holds, longer retention and
whatever else owners have set since then are gone, and they need time to set them again.
\`sealpost-server restore\` does this itself, for ${heldBackDays} days, and calls off the deletions.
After another kind of restore run it before you start the service, with --call-off.
During the wait it sets how long it lasts.

Owners get an email if submissions of theirs would go, or a deletion was called off.
${exitCodes}

Example:
  sealpost-server deletions wait --days 14`,
    )
    .action(async ({ days, callOff = false }: { days: number; callOff?: boolean }) => {
      const { wait } = await import("./deletions-administration.ts");
      print(await wait(loadConfig(environment), { days, callsOff: callOff, now: clock.now() }));
    });

  deletions
    .command("resume")
    .description("End the wait: delete what is too old from now on.")
    .addHelpText(
      "after",
      `
Nothing brings back what is deleted then, within a minute. Run it if nobody has set a legal
hold, longer retention or more days of a bin since the backup, or all have set them again.
${exitCodes}

Example:
  sealpost-server deletions resume`,
    )
    .action(async () => {
      const { resume } = await import("./deletions-administration.ts");
      print(await resume(loadConfig(environment)));
    });
}

function parseDays(text: string): number {
  const days = Number(text);
  if (!/^\d+$/.test(text) || days < 1 || days > heldBackDaysMax)
    throw new InvalidArgumentError(`It is a number from 1 to ${heldBackDaysMax}.`);
  return days;
}
