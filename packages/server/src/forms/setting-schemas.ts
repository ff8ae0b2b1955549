import { type Static, type TOptional, type TSchema, Type } from "typebox";
import { namesShownIn, type SettingName, settingNames, settings } from "./form-settings.ts";

type Table = typeof settings;

/** The schemas of all settings, and of those that are shown elsewhere. */
export const settingSchemas = toSchemas(settingNames);
export const listedSettingSchemas = toSchemas(namesShownIn("list"));
export const publicSettingSchemas = toSchemas(namesShownIn("public"));

type Inputs = { [Name in SettingName]: TOptional<Table[Name]["schema"]> };

/** The settings of a request that creates a form: omitted ones get their default. */
export const createdSettingInputs = toInputs((name) => ({ default: settings[name].default }));
/** The settings of a request that changes a form: omitted ones keep their value. */
export const changedSettingInputs = toInputs(() => ({}));

/** The settings of requests, checked by the schemas alone. */
export type SettingsInput = { readonly [Name in SettingName]?: Static<Table[Name]["schema"]> };

function toSchemas<Name extends SettingName>(names: readonly Name[]) {
  return Object.fromEntries(names.map((name) => [name, settings[name].schema])) as {
    [Member in Name]: Table[Member]["schema"];
  }; // one for each name
}

function toInputs(more: (name: SettingName) => object): Inputs {
  const toInput = (name: SettingName): TSchema => {
    const { schema, input = schema }: { readonly schema: TSchema; readonly input?: TSchema } = settings[name];
    return Type.Optional({ ...input, ...more(name) });
  };
  return Object.fromEntries(settingNames.map((name) => [name, toInput(name)])) as Inputs; // one for each name, of the same values
}
