import { formSettings } from "@sealpost/sdk";
import type { Command } from "commander";
import { connect } from "./connection.ts";
import { type Context, say } from "./context.ts";
import { CommandError } from "./exit-code.ts";
import { splitList } from "./option-values.ts";
import { formatJson, formatTable } from "./table.ts";

type SettingName = keyof typeof formSettings;
type Value = boolean | string | number | null | readonly string[];

export function addFormSettingsCommand(forms: Command, context: Context): void {
  forms
    .command("settings")
    .summary("show a form's settings, or change some")
    .description(
      "Shows all settings of a form. With assignments, changes these settings and keeps the rest. Needs forms:read, and forms:write to change.",
    )
    .argument("<form-id>", "id of the form, form_…")
    .argument("[name=value...]", "settings to change")
    .option("--json", "print the settings as JSON, as the API shows them")
    .addHelpText(
      "after",
      `
Settings:
${Object.entries(formSettings)
  .map(([name, { hint }]) => `  ${name.padEnd(20)}${hint}`)
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
    say(context, "Submissions can now arrive unsealed: the server can read and change them.");
  if (json) return void output.write(`${formatJson(settings, 2)}\n`);
  const rows = Object.entries(settings).map(([name, value]) => [name, formatValue(value)]);
  output.write(formatTable(["SETTING", "VALUE"], rows));
}

/** In its typed form. */
export function formatValue(value: unknown): string {
  return Array.isArray(value) ? value.join(",") : String(value);
}

/** The server checks the limits. */
function parseAssignment(text: string): readonly [SettingName, Value] {
  const [, name = "", value = ""] = /^(\w+)=(.*)$/s.exec(text) ?? [];
  if (!isSettingName(name))
    throw new CommandError(
      "usage",
      `${text}: it must be name=value, with one of ${Object.keys(formSettings).join(", ")}`,
    );
  if (value === "null") return [name, null];
  const [type] = formSettings[name].types;
  switch (type) {
    case "boolean":
      if (value !== "true" && value !== "false") throw new CommandError("usage", `${name} must be true or false`);
      return [name, value === "true"];
    case "integer":
      if (!/^\d{1,15}$/.test(value)) throw new CommandError("usage", `${name} must be a whole number`);
      return [name, Number(value)];
    case "array":
      return [name, value === "" ? [] : splitList(value)];
    case "string":
      return [name, value];
    default:
      return type satisfies never;
  }
}

function isSettingName(name: string): name is SettingName {
  return Object.hasOwn(formSettings, name);
}
