import { type PiiType, tokens } from "@sealpost/pii";
import { type Static, type TSchema, Type } from "typebox";
import { asComponent } from "../http/document.ts";

/** The most that a submission's body may have, whatever a form says. */
export const submissionBytesLimit = 1024 * 1024;
export const submissionBytesLeast = 1024;
/** Of a form with encryption: an empty submission, sealed to the longest key, takes 2.3 KiB. */
export const sealedBytesLeast = 3072;
export const binDaysMost = 365;

interface Setting<Schema extends TSchema, IsPublic extends boolean> {
  /** What the API takes and shows. */
  readonly schema: Schema;
  readonly default: Static<Schema>;
  /** Shown to everybody, because the embed needs it before it seals. */
  readonly isPublic: IsPublic;
}

function publicSetting<Schema extends TSchema>(schema: Schema, value: Static<Schema>): Setting<Schema, true> {
  return { schema, default: value, isPublic: true };
}

function privateSetting<Schema extends TSchema>(schema: Schema, value: Static<Schema>): Setting<Schema, false> {
  return { schema, default: value, isPublic: false };
}

/**
 * Every setting of a form beyond the contract's four, once: the API's schemas and types, defaults, storage (`form.settings`),
 * what a submission is checked against, the public form and its ETag derive from this table. Schemas have two types instead of a union, so
 * that one error has one message.
 */
export const furtherSettings = {
  country: publicSetting(
    Type.Unsafe<string | null>({
      type: ["string", "null"],
      pattern: "^[A-Z]{2}$",
      description:
        "The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such as DE); null for none in particular.",
      "x-message": "Must be a country code of two capital letters, such as DE, or null",
    }),
    null,
  ),
  piiTypes: publicSetting(
    Type.Unsafe<readonly PiiType[] | null>({
      type: ["array", "null"],
      items: asComponent("PiiType", {
        type: "string",
        enum: Object.keys(tokens),
        description: "A type of personal data that is found and stripped.",
        "x-message": "Must be a type of personal data, such as EMAIL_ADDRESS: /api/docs lists them",
      }),
      minItems: 1,
      uniqueItems: true,
      description: "The types of personal data that `piiStrip` strips; null for all.",
      "x-message": "Must list at least one type of personal data, each once, or be null for all",
    }),
    null,
  ),
  submissionBytesMax: privateSetting(
    Type.Integer({
      minimum: submissionBytesLeast,
      maximum: submissionBytesLimit,
      description: `The most bytes that the body of one submission may have. With encryption at least ${sealedBytesLeast}: an empty sealed submission takes nearly as much.`,
    }),
    submissionBytesLimit,
  ),
  submissionsPerHour: privateSetting(
    Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 1,
      maximum: 1_000_000,
      description: "How many submissions the form takes in an hour; null for any number.",
    }),
    null,
  ),
  binDays: privateSetting(
    Type.Integer({
      minimum: 0,
      maximum: binDaysMost,
      description: "For how many days submissions that were moved to the bin can be restored; 0 deletes at once.",
    }),
    30,
  ),
} as const satisfies Record<string, Setting<TSchema, boolean>>;

type FurtherSettingName = keyof typeof furtherSettings;
type PublicSettingName = {
  [Name in FurtherSettingName]: (typeof furtherSettings)[Name]["isPublic"] extends true ? Name : never;
}[FurtherSettingName];
export type FurtherSettings = { readonly [Name in FurtherSettingName]: (typeof furtherSettings)[Name]["default"] };

const names = Object.keys(furtherSettings) as FurtherSettingName[]; // its keys are its names
const publicNames = names.filter((name): name is PublicSettingName => furtherSettings[name].isPublic);

export const defaultFurtherSettings = Object.fromEntries(
  names.map((name) => [name, furtherSettings[name].default]),
) as FurtherSettings; // one for each name

/** The schemas of the API: of all of them, and of those that everybody sees. */
export const furtherSettingSchemas = toSchemas(names);
export const publicSettingSchemas = toSchemas(publicNames);

/** The members of `settings` that are described here. */
export function pickFurtherSettings(settings: FurtherSettings): FurtherSettings {
  return Object.fromEntries(names.map((name) => [name, settings[name]])) as FurtherSettings; // one for each name
}

export function pickPublicSettings(settings: FurtherSettings): Pick<FurtherSettings, PublicSettingName> {
  return Object.fromEntries(publicNames.map((name) => [name, settings[name]])) as Pick<
    FurtherSettings,
    PublicSettingName
  >; // one for each name
}

/** Column `form.settings`: those that differ from their default, always in the same order, so that equal ones are equal texts. */
export function printFurtherSettings(settings: FurtherSettings): string {
  const differing = names.filter(
    (name) => JSON.stringify(settings[name]) !== JSON.stringify(defaultFurtherSettings[name]),
  );
  return JSON.stringify(Object.fromEntries(differing.map((name) => [name, settings[name]])));
}

/** Reads what `printFurtherSettings` wrote; a member that this version does not know is left out. */
export function parseFurtherSettings(text: string): FurtherSettings {
  if (text === "{}") return defaultFurtherSettings;
  return pickFurtherSettings({ ...defaultFurtherSettings, ...(JSON.parse(text) as Partial<FurtherSettings>) }); // written from FurtherSettings
}

function toSchemas<Name extends FurtherSettingName>(chosen: readonly Name[]) {
  return Object.fromEntries(chosen.map((name) => [name, furtherSettings[name].schema])) as {
    [Member in Name]: (typeof furtherSettings)[Member]["schema"];
  };
}
