import { type PiiType, tokens } from "@sealpost/pii";
import { type Static, type TSchema, Type } from "typebox";
import { asComponent, documented } from "../http/document.ts";
import type { OrganizationEvent } from "../mail/mail.ts";

/** The most that a submission's body may have, whatever a form says. */
export const submissionBytesLimit = 1024 * 1024;
export const submissionBytesLeast = 1024;
/** Least limit of a form with encryption: an empty submission, sealed to the longest key, takes 2.3 KiB. */
export const sealedBytesLeast = 3072;
/** The same with a hybrid key, which takes 1.5 KiB of it: 3.2 KiB. */
export const hybridBytesLeast = 4096;
export const binDaysMost = 365;
export const originsMax = 50;
export const originLengthMax = 300;

/** Where else a setting is shown: in the list of forms, and to everybody. */
export type Place = "list" | "public";

/** `keeping_shortened`: answers are deleted, or leave the bin, earlier. */
export type Announcement = Extract<
  OrganizationEvent,
  "webhook_url_changed" | "sealing_changed" | "stripping_changed" | "keeping_shortened"
>;

export interface Setting<Schema extends TSchema = TSchema, Places extends readonly Place[] = readonly Place[]> {
  /** The API's output, and its input unless `input` says more. */
  readonly schema: Schema;
  /** The API's input, where no schema alone can describe it: `form-input.ts` reads it. */
  readonly input?: TSchema;
  readonly default: Static<Schema>;
  /** Values that are not its default; tests take them. */
  readonly examples: readonly [Static<Schema>, ...Static<Schema>[]];
  /** For people: what to type. */
  readonly hint: string;
  /** `public` for what the embed needs before it seals. */
  readonly shownIn: Places;
  /** Whether submissions are accepted, or written, by it: what was checked against another value is checked again. */
  readonly isCheckedAtIngest: boolean;
  /** Whether a developer changes it: not what decides who reads answers, or what of them is kept. */
  readonly isDevelopers: boolean;
  /**
   * The security email about a change: of whatever decides who reads answers, or what of them is lost. `undefined` where a change is seen by its effect: a
   * setting that refuses visitors has `refusedVisitors`, and a webhook's redirects have the log of deliveries.
   */
  readonly announced: Announcement | undefined;
  /** In column `form.settings` with others, in a column of its own, or in the webhook's row. */
  readonly kept: "together" | OwnColumn<Static<Schema>> | "webhook";
}

/** No further setting needs one. */
export interface OwnColumn<Value> {
  readonly column: "encryption" | "pii_strip" | "allowed_origins";
  encode(value: Value): number | string;
  decode(stored: number | string): Value;
}

function setting<Schema extends TSchema, const Places extends readonly Place[]>(
  schema: Schema,
  more: Omit<Setting<Schema, Places>, "schema">,
): Setting<Schema, Places> {
  return { schema, ...more };
}

const asFlag = (column: "encryption" | "pii_strip"): OwnColumn<boolean> => ({
  column,
  encode: Number,
  decode: (stored) => stored === 1,
});

/**
 * Every setting of a form, once. The API's schemas and types, the OpenAPI document, defaults, columns, what a submission is
 * checked against, lists, the public form and its ETag, events, the client's types and the command line derive from this
 * table, and a test walks over it. Where a value may be null its schema has two types instead of a union, so that one error
 * has one message.
 */
export const settings = {
  encryption: setting(Type.Boolean({ description: "Accept only submissions that were sealed in the browser." }), {
    default: true,
    examples: [false],
    hint: "true or false",
    shownIn: ["list", "public"],
    isCheckedAtIngest: true,
    isDevelopers: false,
    announced: "sealing_changed",
    kept: asFlag("encryption"),
  }),
  piiStrip: setting(Type.Boolean({ description: "Strip common patterns of personal data before sealing." }), {
    default: false,
    examples: [true],
    hint: "true or false",
    shownIn: ["list", "public"],
    isCheckedAtIngest: true,
    isDevelopers: false,
    announced: "stripping_changed",
    kept: asFlag("pii_strip"),
  }),
  webhookUrl: setting(
    Type.Union([Type.String(), Type.Null()], {
      description: "Where events are posted, an HTTPS URL; null for nowhere.",
    }),
    {
      input: documented(
        Type.Unsafe<string | null>({
          type: ["string", "null"],
          description:
            "An HTTPS URL of at most 2,048 characters without user name and password, white space, backslashes and characters that are not seen, whose host is not in a private network; null for nowhere. A host with letters beyond ASCII is stored by its ASCII name (`xn--…`).",
          "x-message": "Must be a valid HTTPS URL",
        }),
        {
          maxLength: 2048,
          pattern:
            "^[Hh][Tt][Tt][Pp][Ss]:[^\\u0000-\\u0020\\\\\\u007f-\\u00a0\\u00ad\\u061c\\u180b-\\u180f\\u1680\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000\\ufe00-\\ufe0f\\ufeff\\ufff9-\\ufffb]+$",
        },
      ),
      default: null,
      examples: ["https://receiver.example/hook", "https://receiver.example/another"],
      hint: "an https address, or null for none",
      shownIn: [],
      isCheckedAtIngest: false,
      isDevelopers: true,
      announced: "webhook_url_changed",
      kept: "webhook",
    },
  ),
  webhookRedirects: setting(
    Type.Unsafe<"post" | "get">(
      asComponent("WebhookRedirects", {
        type: "string",
        enum: ["post", "get"],
        description:
          "How a 302 or 303 of the webhook's receiver is followed. `post`: the event is posted again at its target, so that a page at the end of a redirect, to a sign-in, say, never counts as delivered. `get`: the target is asked for without the event, and its 2xx counts; for receivers that answer by redirect, such as Google Apps Script.",
        "x-message": "Must be post or get",
      }),
    ),
    {
      default: "post",
      examples: ["get"],
      hint: "post or get",
      shownIn: [],
      isCheckedAtIngest: false,
      isDevelopers: true,
      announced: undefined,
      kept: "webhook",
    },
  ),
  allowedOrigins: setting(
    Type.Unsafe<readonly string[]>(
      Type.Array(Type.String(), {
        description: "Origins whose pages may submit: `*`, exact ones, or `https://*.example.com`.",
      }),
    ),
    {
      input: documented(
        Type.Array(
          documented(Type.String(), { maxLength: originLengthMax, pattern: "^(?:\\*|https?://[^/?#@\\\\\\s]+)$" }),
        ),
        { minItems: 1, maxItems: originsMax },
      ),
      default: ["*"],
      examples: [["https://one.example"], ["https://one.example", "https://*.two.example"]],
      hint: "origins with commas between them; * for any",
      shownIn: [],
      isCheckedAtIngest: true,
      isDevelopers: true,
      announced: undefined,
      kept: {
        column: "allowed_origins",
        encode: (origins) => JSON.stringify(origins),
        decode: (stored) => JSON.parse(String(stored)) as readonly string[], // written by the line above
      },
    },
  ),
  country: setting(
    Type.Unsafe<string | null>({
      type: ["string", "null"],
      pattern: "^[A-Z]{2}$",
      description:
        "The country whose national telephone numbers count as such when personal data is stripped (ISO 3166-1 alpha-2, such as DE); null for none in particular.",
      "x-message": "Must be a country code of two capital letters, such as DE, or null",
    }),
    {
      default: null,
      examples: ["DE", "FR"],
      hint: "two capital letters, such as DE, or null for none",
      shownIn: ["public"],
      isCheckedAtIngest: true,
      isDevelopers: false,
      announced: "stripping_changed",
      kept: "together",
    },
  ),
  piiTypes: setting(
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
    {
      default: null,
      examples: [["EMAIL_ADDRESS"], ["PHONE_NUMBER", "IBAN_CODE"]],
      hint: "types such as EMAIL_ADDRESS,PHONE_NUMBER, or null for all",
      shownIn: ["public"],
      isCheckedAtIngest: true,
      isDevelopers: false,
      announced: "stripping_changed",
      kept: "together",
    },
  ),
  submissionBytesMax: setting(
    Type.Integer({
      minimum: submissionBytesLeast,
      maximum: submissionBytesLimit,
      description: `The most bytes that the body of one submission may have. With encryption at least ${sealedBytesLeast}, with a hybrid key ${hybridBytesLeast}: an empty sealed submission takes nearly as much.`,
    }),
    {
      default: submissionBytesLimit,
      examples: [4096, 65_536],
      hint: `bytes, ${submissionBytesLeast} to ${submissionBytesLimit}; with encryption ${sealedBytesLeast} at least`,
      shownIn: [],
      isCheckedAtIngest: true,
      isDevelopers: true,
      announced: undefined,
      kept: "together",
    },
  ),
  submissionsPerHour: setting(
    Type.Unsafe<number | null>({
      type: ["integer", "null"],
      minimum: 1,
      maximum: 1_000_000,
      description: "How many submissions the form takes in an hour; null for any number.",
    }),
    {
      default: null,
      examples: [10, 1000],
      hint: "a whole number from 1, or null for any number",
      shownIn: [],
      isCheckedAtIngest: true,
      isDevelopers: true,
      announced: undefined,
      kept: "together",
    },
  ),
  binDays: setting(
    Type.Integer({
      minimum: 0,
      maximum: binDaysMost,
      description: "For how many days submissions that were moved to the bin can be restored; 0 deletes at once.",
    }),
    {
      default: 30,
      examples: [0, 7],
      hint: `days, 0 to ${binDaysMost}; 0 deletes at once`,
      shownIn: [],
      isCheckedAtIngest: false,
      isDevelopers: false,
      announced: "keeping_shortened",
      kept: "together",
    },
  ),
};

export type SettingName = keyof typeof settings;
/** All of them, as the API has them. */
export type Settings = { readonly [Name in SettingName]: (typeof settings)[Name]["default"] };

export const settingNames = Object.keys(settings) as readonly SettingName[]; // its keys are its names

export const defaultSettings = Object.fromEntries(
  settingNames.map((name) => [name, settings[name].default]),
) as Settings; // one for each name

/** The settings that are shown in a place. */
export type ShownSetting<Where extends Place> = {
  [Name in SettingName]: Where extends (typeof settings)[Name]["shownIn"][number] ? Name : never;
}[SettingName];

export function namesShownIn<Where extends Place>(place: Where): readonly ShownSetting<Where>[] {
  const isShown = (name: SettingName): name is ShownSetting<Where> =>
    settings[name].shownIn.some((where) => where === place);
  return settingNames.filter(isShown);
}

/** The settings with these names, in the order of the table. */
export function pickSettings<Name extends SettingName>(from: Settings, names: readonly Name[]): Pick<Settings, Name> {
  return Object.fromEntries(names.map((name) => [name, from[name]])) as Pick<Settings, Name>; // one for each name
}
