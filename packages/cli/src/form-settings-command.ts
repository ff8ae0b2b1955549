import type { FormSettings } from "@sealpost/sdk";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { formatJson, formatTable } from "./table.ts";

type SettingName = keyof FormSettings;
type Kind = "switch" | "text" | "number" | "list";

/**
 * Every setting, so that one that the API gets is missed here when the types are checked. The hints are for people: the server
 * checks the limits.
 */
const kinds = {
  encryption: ["switch", "true or false"],
  piiStrip: ["switch", "true or false"],
  webhookUrl: ["text", "an https address, or null for none"],
  allowedOrigins: ["list", "origins with commas between them; * for any"],
  country: ["text", "two capital letters, such as DE, or null for none"],
  piiTypes: ["list", "types such as EMAIL_ADDRESS,PHONE_NUMBER, or null for all"],
  submissionBytesMax: ["number", "bytes, 1024 to 1048576; with encryption 3072 at least"],
  submissionsPerHour: ["number", "a whole number from 1, or null for any number"],
  binDays: ["number", "days, 0 to 365; 0 deletes at once"],
} as const satisfies Record<SettingName, readonly [Kind, hint: string]>;

export function addFormSettingsCommand(forms: Command, context: Context): void {
  forms
    .command("settings")
    .summary("show a form's settings, or change some")
    .description(
      "Shows all settings of a form; with assignments, changes these and keeps the rest. Needs forms:read, and forms:write to change.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .argument("[name=value...]", "settings to change")
    .option("--json", "print the settings as JSON, as the API shows them")
    .addHelpText(
      "after",
      `
Settings:
${Object.entries(kinds)
  .map(([name, [, hint]]) => `  ${name.padEnd(20)}${hint}`)
  .join("\n")}

Examples:
  $ sealpost forms settings form_…
  $ sealpost forms settings form_… country=DE submissionsPerHour=100
  $ sealpost forms settings form_… allowedOrigins=https://www.example.org,https://example.org
  $ sealpost forms settings form_… webhookUrl=null`,
    )
    .action((formId: string, assignments: readonly string[], options: { readonly json?: boolean }) =>
      showOrChange(context, formId, assignments, options),
    );
}

async function showOrChange(
  context: Context,
  formId: string,
  assignments: readonly string[],
  { json }: { readonly json?: boolean },
): Promise<void> {
  const { output, signal } = context;
  const changes = Object.fromEntries(assignments.map(parseAssignment));
  const client = await connect(context);
  const form =
    assignments.length === 0
      ? await client.forms.get(formId, { signal, retry: true })
      : await client.forms.update(formId, { settings: changes }, { signal });
  const { settings } = form;
  if (changes.encryption === false)
    say(context, "From now on submissions may come in the clear: the server can read and change them.");
  if (json) return void output.write(`${formatJson(settings, 2)}\n`);
  const rows = Object.entries(settings).map(([name, value]) => [name, formatValue(value)]);
  output.write(formatTable(["SETTING", "VALUE"], rows));
}

/** In its typed form. */
export function formatValue(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}

function parseAssignment(text: string): readonly [SettingName, boolean | string | number | null | readonly string[]] {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (!isSettingName(name))
    throw new CommandError("usage", `${text}: it must be name=value, with one of ${Object.keys(kinds).join(", ")}`);
  if (value === "null") return [name, null];
  const [kind] = kinds[name];
  switch (kind) {
    case "switch":
      if (value !== "true" && value !== "false") throw new CommandError("usage", `${name} must be true or false`);
      return [name, value === "true"];
    case "number":
      if (!/^\d{1,15}$/.test(value)) throw new CommandError("usage", `${name} must be a whole number`);
      return [name, Number(value)];
    case "list":
      return [name, value === "" ? [] : value.split(",").map((item) => item.trim())];
    case "text":
      return [name, value];
    default:
      return kind satisfies never;
  }
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(kinds, name);
}
