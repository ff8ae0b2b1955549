import type { Submission } from "@sealpost/sdk";
import type { Command } from "commander";
import { addBinCommands } from "./bin-commands.ts";
import { connect } from "./connection.ts";
import type { Context } from "./context.ts";
import { addExportCommand } from "./export-command.ts";
import { parseCount } from "./option-values.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";
import { addRange, type RangeOptions, rangeOf } from "./time-range.ts";

interface ListOptions extends RangeOptions {
  readonly limit: number;
  readonly json?: boolean;
}
export function addSubmissionsCommands(program: Command, context: Context): void {
  const submissions = program
    .command("submissions")
    .summary("list, export, delete and restore submissions")
    .description(
      "Reads and deletes submissions. They are opened on this machine: the server never sees a private key.",
    );

  addRange(submissions.command("list"))
    .summary("list the latest submissions, without their contents")
    .description("Lists submissions, newest first, as the server sees them. Needs submissions:read.")
    .argument("<form-id>", "id of the form, form_…")
    .option("--limit <count>", "the most to list", parseCount, 50)
    .option("--json", "print the submissions as a JSON array, as the API shows them")
    .action((formId: string, options: ListOptions) => listSubmissions(context, formId, options));

  addExportCommand(submissions, context);
  addBinCommands(submissions, context);
}

async function listSubmissions(context: Context, formId: string, options: ListOptions): Promise<void> {
  const { output, signal } = context;
  const client = await connect(context);
  const found: Submission[] = [];
  if (options.limit > 0) {
    for await (const submission of client.submissions.all(formId, rangeOf(options), { signal, retry: true })) {
      if (found.push(submission) >= options.limit) break;
    }
  }
  if (options.json) return void output.write(`${formatJson(found, 2)}\n`);
  const rows = found.map(({ id, receivedAt, payload, keyVersion }) => {
    return [id, formatTime(receivedAt), payload.encrypted ? `sealed, key version ${keyVersion}` : "not sealed"];
  });
  output.write(formatTable(["ID", "RECEIVED", "PAYLOAD"], rows));
}
