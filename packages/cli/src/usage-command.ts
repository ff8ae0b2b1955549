import type { Command } from "commander";
import { connect } from "./connection.ts";
import type { Context } from "./context.ts";
import { formatJson, formatTable } from "./table.ts";

export function addUsageCommand(program: Command, context: Context): void {
  program
    .command("usage")
    .summary("show what the account stores, and its quota")
    .description(
      "Shows how much the account stores, including keys, envelopes and logs, and how much room the submissions of its fullest forms take. Needs forms:read.",
    )
    .option("--json", "print it as JSON, as the API shows it")
    .action((options: { json?: boolean }) => showUsage(context, options));
}

async function showUsage(context: Context, { json }: { json?: boolean }): Promise<void> {
  const { output, signal } = context;
  const client = await connect(context);
  const usage = await client.account.usage({ signal, retry: true });
  if (json) return void output.write(`${formatJson(usage, 2)}\n`);
  const { bytes, otherBytes, bytesMax, formBytesMax, forms } = usage;
  const rows = forms.map((form) => [
    ...[form.id, form.name, String(form.submissionCount), formatBytes(form.bytes)],
    formatShare(form.bytes, formBytesMax),
  ]);
  const all = bytes + otherBytes;
  rows.unshift(["account", "", "", formatBytes(all), formatShare(all, bytesMax)]);
  output.write(formatTable(["ID", "NAME", "SUBMISSIONS", "STORED", "OF"], rows));
}

function formatShare(bytes: number, max: number | null): string {
  return max === null ? "no limit" : `${formatBytes(max)} (${Math.floor((100 * bytes) / max)} %)`;
}

const units = ["KiB", "MiB", "GiB", "TiB"] as const;

function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const power = Math.min(Math.floor(Math.log2(bytes) / 10), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}
