import type { Command } from "commander";
import { connect } from "./connection.ts";
import type { Context } from "./context.ts";
import { formatValue } from "./form-settings-command.ts";
import { describeHold } from "./hold-command.ts";
import { describeRefused } from "./refused-visitors.ts";
import { formatJson, formatTable, formatTime } from "./table.ts";

const proofs = {
  proved: "proved: somebody opened something with it",
  unproved: "unproved: nobody has shown yet that it opens anything",
} as const;

export function addShowFormCommand(forms: Command, context: Context): void {
  forms
    .command("show")
    .summary("show a form: its counts, keys and settings")
    .description(
      "Shows a form: what it has received and stores, for what visitors are refused, its key versions and whether the newest key has been used to open anything, and its settings. Needs forms:read.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .option("--json", "print the form as JSON, as the API shows it, with keys and receivedCount added")
    .action((formId: string, options: { readonly json?: boolean }) => showForm(context, formId, options));
}

async function showForm(context: Context, formId: string, { json }: { readonly json?: boolean }): Promise<void> {
  const { output, signal } = context;
  const { forms } = await connect(context);
  const request = { signal, retry: true };
  const [form, keys, { stats }] = await Promise.all([
    forms.get(formId, request),
    forms.keys(formId, request),
    forms.stats(formId, { period: "day" }, request),
  ]);
  const receivedCount = stats.totalSubmissions;
  if (json) return void output.write(`${formatJson({ ...form, receivedCount, keys }, 2)}\n`);
  const facts = [
    ["id", form.id],
    ["name", form.name],
    ["created", formatTime(form.createdAt)],
    ["changed", formatTime(form.updatedAt)],
    ["stored", String(form.submissionCount)],
    ["received", String(receivedCount)],
    ...(form.hold === undefined ? [] : [["hold", describeHold(form.hold)]]),
    ...(form.refusedVisitors ?? []).map((refused) => ["refused", describeRefused(refused)]),
    ...(form.settings.encryption ? [["key", proofs[form.keyProof]]] : []),
  ];
  const settings = Object.entries(form.settings).map(([name, value]) => [name, formatValue(value)]);
  const versions = keys.map(({ version, fingerprint, createdAt, provedAt, closesAt }) => [
    String(version),
    fingerprint,
    formatTime(createdAt),
    provedAt === null ? "never" : formatTime(provedAt),
    closesAt === undefined ? "" : formatTime(closesAt),
  ]);
  output.write(
    [
      formatTable(["FORM", ""], facts),
      formatTable(["VERSION", "FINGERPRINT", "CREATED", "FIRST OPENED", "ENDS"], versions),
      formatTable(["SETTING", "VALUE"], settings),
    ].join("\n"),
  );
}
