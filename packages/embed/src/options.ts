import { isId } from "@sealpost/wire";
import { type ErrorCode, englishMessages, type Messages } from "./messages.ts";

/** What was sent. `stripped` names the fields and the types of personal data that were removed, never a value. */
export interface SuccessDetail {
  readonly formId: string;
  readonly submissionId: string;
  readonly stripped: readonly { readonly field: string; readonly types: readonly string[] }[];
  /** True when the visitor changed the form after pressing the button: those changes are not part of what was sent. */
  readonly changed: boolean;
}

export interface ErrorDetail {
  readonly formId: string;
  readonly code: ErrorCode;
  readonly message: string;
  /** The name of the field at fault, for `invalid` and `file`. */
  readonly field?: string;
  /** Seconds until the next try, while one is planned. */
  readonly retryAfter?: number;
}

export interface Options {
  /** The form, or a selector for it. Default: the form with `data-sealpost="form_…"`, else the page's only form. */
  readonly form?: HTMLFormElement | string | undefined;
  /** Address of the service. Default: where the script came from. */
  readonly endpoint?: string | undefined;
  /** Only `false`, written here, makes the embed send plain content; no answer of the service can. */
  readonly encryption?: boolean | undefined;
  /** The fingerprints that the form's key may have. With any other key nothing is sent. */
  readonly keyFingerprint?: string | readonly string[] | undefined;
  /** `true` strips personal data even if the service does not ask for it. */
  readonly piiStrip?: boolean | undefined;
  /** Types to look for instead of the default ones. */
  readonly piiTypes?: readonly string[] | undefined;
  /** ISO 3166-1 alpha-2: where telephone numbers without a country code are from. */
  readonly country?: string | undefined;
  /** Leaves out fields that campaigns add: `utm_…`, `gclid`, `fbclid`. */
  readonly dropTracking?: boolean | undefined;
  /** Where to go after success: an address of this origin, or any https address. */
  readonly redirect?: string | undefined;
  /** Default true. */
  readonly resetOnSuccess?: boolean | undefined;
  readonly messages?: Partial<Messages> | undefined;
  /** Runs before anything is collected; `false` stops the submission. */
  readonly onSubmit?: (() => unknown) | undefined;
  readonly onSuccess?: ((detail: SuccessDetail) => unknown) | undefined;
  readonly onError?: ((detail: ErrorDetail) => unknown) | undefined;
}

const optionNames: ReadonlySet<string> = new Set([
  "form",
  "endpoint",
  "encryption",
  "keyFingerprint",
  "piiStrip",
  "piiTypes",
  "country",
  "dropTracking",
  "redirect",
  "resetOnSuccess",
  "messages",
  "onSubmit",
  "onSuccess",
  "onError",
] satisfies (keyof Options)[]);

/**
 * What is wrong with the snippet, for its author, or `undefined`. A form with a fault is bound all the same and refuses to
 * send: left unbound, the browser itself would send it, in plain. A misspelt option is a fault because it may be the pin.
 */
export function findFault(formId: unknown, options: Options): string | undefined {
  if (!isId("form", formId)) return "the form id is not valid";
  const unknown = Object.keys(options).find((name) => !optionNames.has(name));
  if (unknown !== undefined) return `unknown option ${unknown}`;
  const message = Object.keys(options.messages ?? {}).find((name) => !Object.hasOwn(englishMessages, name));
  if (message !== undefined) return `unknown message ${message}`;
  const pins = pinsOf(options);
  if (pins?.some((pin) => !/^[\w-]{43}$/.test(pin))) return "a keyFingerprint has 43 characters";
  if (pins !== undefined && options.encryption === false) return "keyFingerprint needs encryption";
  if (options.endpoint === undefined) return "endpoint is missing";
  return undefined;
}

/** The accepted fingerprints, or `undefined` where the snippet pins none. */
export function pinsOf({ keyFingerprint }: Options): readonly string[] | undefined {
  return keyFingerprint === undefined ? undefined : [keyFingerprint].flat().map(String);
}

/** The options that the data attributes of a script element hold: `data-sealpost-key-fingerprint` is `keyFingerprint`. */
export function readAttributes(attributes: Readonly<Record<string, string | undefined>>): Options {
  const options: Record<string, unknown> = {};
  const messages: Record<string, string> = {};
  for (const [attribute, value = ""] of Object.entries(attributes)) {
    const [, name] = /^sealpost([A-Z].*)$/.exec(attribute) ?? [];
    if (name === undefined) continue;
    const lowered = lowerFirst(name);
    if (/^message./.test(lowered)) messages[lowerFirst(lowered.slice(7))] = value;
    else if (lowered === "keyFingerprint" || lowered === "piiTypes") options[lowered] = value.trim().split(/[\s,]+/);
    else options[lowered] = value === "true" || (value === "false" ? false : value);
  }
  return { ...options, messages };
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
