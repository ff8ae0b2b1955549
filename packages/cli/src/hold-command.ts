import type { Client } from "@sealpost/sdk";
import type { Command } from "commander";
import { connectWithSession } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { parseTime } from "./option-values.ts";
import { printable } from "./printable.ts";
import { formatTime } from "./table.ts";

interface HoldOptions {
  readonly reason?: string;
  readonly until?: number;
}

const needs =
  "Only for owners of the organization. Needs a session that began within the last hour (`sealpost login`), not an API key.";

export function addHoldCommands(forms: Command, context: Context): void {
  forms
    .command("hold")
    .summary("set a legal hold on a form: nothing in it is deleted")
    .description(
      "Sets a legal hold on a form, or replaces the reason and date of the one that it has, and prints the form's id. Until `release`, nothing in the form is deleted: " +
        `not by people, its retention or its bin. ${needs}`,
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--reason <text>", "one line, such as a case number; everybody who sees the form sees it")
    .option(
      "--until <time>",
      "when owners are reminded: 2027-01-31 or 2027-01-31T12:00Z. The hold does not end automatically",
      parseTime,
    )
    .addHelpText("after", '\nExample:\n  $ sealpost forms hold form_… --reason "Case 7 O 12/26" --until 2027-06-30')
    .action((formId: string, options: HoldOptions) => hold(context, formId, options));

  forms
    .command("release")
    .summary("lift a form's legal hold")
    .description(
      `Lifts a form's legal hold, and prints the form's id. Submissions that are too old by then are deleted as usual. ${needs}`,
    )
    .argument("<form-id>", "id of the form, form_…")
    .action((formId: string) => release(context, formId));
}

async function hold(context: Context, formId: string, { reason, until }: HoldOptions): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  const set = await client.forms.setHold(formId, { reason: reason ?? null, until: until ?? null }, { signal });
  if (set !== null) say(context, describeHold(set));
  output.write(`${printable(formId)}\n`);
}

async function release(context: Context, formId: string): Promise<void> {
  const { output, signal } = context;
  const { client } = await connectWithSession(context);
  await client.forms.liftHold(formId, { signal });
  output.write(`${printable(formId)}\n`);
}

type FormHold = NonNullable<Awaited<ReturnType<Client["forms"]["setHold"]>>>;

/** When the hold began and by whom, why, and when owners are reminded. */
export function describeHold({ since, setBy, reason, until }: FormHold): string {
  return [
    `Under legal hold since ${formatTime(since)}`,
    ...(setBy === null || setBy.name === "" ? [] : [`set by ${printable(setBy.name)}`]),
    ...(reason === null ? [] : [`reason: ${printable(reason)}`]),
    ...(until === null ? [] : [`owners are reminded at ${formatTime(until)}`]),
  ].join("; ");
}
