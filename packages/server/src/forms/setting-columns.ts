import {
  defaultSettings,
  type Setting,
  type SettingName,
  type Settings,
  settingNames,
  settings,
} from "./form-settings.ts";

/** The settings that the form's row holds; the others are in the webhook's. */
export type FormSettings = Omit<Settings, "webhookUrl" | "webhookRedirects">;

/** The columns of the form's row that hold settings. */
export interface SettingColumns {
  readonly encryption: number;
  readonly pii_strip: number;
  readonly allowed_origins: string;
  /** As JSON, those that differ from their default. */
  readonly settings: string;
}

export const settingColumns = [
  "encryption",
  "pii_strip",
  "allowed_origins",
  "settings",
] as const satisfies readonly (keyof SettingColumns)[];

type Values = Readonly<Partial<Record<SettingName, unknown>>>;

const table: readonly (readonly [SettingName, Setting])[] = settingNames.map((name) => [name, settings[name]]);
const together = table.filter(([, { kept }]) => kept === "together");
const ofOwnColumn = table.flatMap(([name, { kept, isCheckedAtIngest }]) =>
  typeof kept === "object" ? [{ name, isCheckedAtIngest, ...kept }] : [],
);
const checkedTogether = together.filter(([, { isCheckedAtIngest }]) => isCheckedAtIngest);

export function toSettingColumns(values: FormSettings): SettingColumns {
  const own = ofOwnColumn.map(({ name, column, encode }) => [column, encode((values as Values)[name])]);
  return { ...Object.fromEntries(own), settings: print(together, values) };
}

/** Reads what `toSettingColumns` wrote. What is in `settings` that this version does not know is left out. */
export function parseSettingColumns(row: SettingColumns): FormSettings {
  const own = ofOwnColumn.map(({ name, column, decode }) => [name, decode(row[column])]);
  return { ...defaultSettings, ...Object.fromEntries(own), ...parseTogether(row.settings) };
}

/**
 * Everything of a form's settings that a submission is checked against, as one text to compare. Made of what this version
 * knows alone: whatever order or other settings another version has written, both sides come out alike.
 */
export function printCheckedSettings(row: SettingColumns): string {
  const own = ofOwnColumn.flatMap(({ column, isCheckedAtIngest }) => (isCheckedAtIngest ? [row[column]] : []));
  return [...own, row.settings === "{}" ? "{}" : print(checkedTogether, parseTogether(row.settings))].join("/");
}

/** The settings in column `settings`: all but the three that have a column of their own. */
export type TogetherSettings = Omit<FormSettings, "encryption" | "piiStrip" | "allowedOrigins">;

const defaultTogether = Object.fromEntries(together.map(([name]) => [name, defaultSettings[name]])) as TogetherSettings; // one for each name

/** Reads column `settings`. */
export function parseTogether(text: string): TogetherSettings {
  if (text === "{}") return defaultTogether;
  const stored = JSON.parse(text) as Values; // written by `print`
  const known = together.flatMap(([name]) => (stored[name] === undefined ? [] : [[name, stored[name]]]));
  return { ...defaultTogether, ...Object.fromEntries(known) };
}

/** As JSON, those that differ from their default, in the order of the table, so that equal ones are equal texts. */
function print(chosen: readonly (readonly [SettingName, Setting])[], values: Values): string {
  const differing = chosen.filter(
    ([name, { default: usual }]) => JSON.stringify(values[name]) !== JSON.stringify(usual),
  );
  return JSON.stringify(Object.fromEntries(differing.map(([name]) => [name, values[name]])));
}
