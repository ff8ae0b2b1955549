import type { ErrorCode, Messages } from "./messages.ts";
import { parseJson } from "./own-members.ts";

/** A submission that is about to be sealed. `fields`: a copy of what was collected. */
export interface SubmitDetail {
  readonly formId: string;
  readonly fields: Readonly<Record<string, string | readonly string[]>>;
}

/** Details of a sent submission. `stripped` names the fields and the types of personal data that were removed, never a value. */
export interface SuccessDetail {
  readonly formId: string;
  readonly submissionId: string;
  readonly stripped: readonly { readonly field: string; readonly types: readonly string[] }[];
  /** True when the visitor typed or chose something after pressing the button: those changes are not part of what was sent. */
  readonly changed: boolean;
}

export interface ErrorDetail {
  readonly formId: string;
  readonly code: ErrorCode;
  readonly message: string;
  /** The name of the invalid field, for `invalid` and `file`. */
  readonly field?: string | undefined;
  /** Seconds until the next try, while one is planned. */
  readonly retryAfter?: number | undefined;
}

export interface Options {
  /** The form, or a selector for it. Default: the form with `data-sealpost="form_…"`, else the page's only form. */
  readonly form?: HTMLFormElement | string | undefined;
  /** Address of the service. Default: where the script came from. */
  readonly endpoint?: string | undefined;
  /** Only `false`, written here, makes the embed send plain content; no answer of the service can. */
  readonly encryption?: boolean | undefined;
  /** The fingerprints that the form's key may have, in a list or between spaces. With any other key nothing is sent. */
  readonly keyFingerprint?: string | readonly string[] | undefined;
  /**
   * A head of the form's key log, `NUMBER-HASH`: whatever key continues it may be sealed to, so a rotation needs no new snippet. Known to
   * the script `sealpost-key-log`, and in bundles that import `@sealpost/embed/key-log`; elsewhere nothing is sent with it.
   */
  readonly keyLog?: string | undefined;
  /** `true` strips personal data even if the service does not ask for it. */
  readonly piiStrip?: boolean | undefined;
  /** Types to look for instead of the default ones; in one string, between spaces. */
  readonly piiTypes?: string | readonly string[] | undefined;
  /** ISO 3166-1 alpha-2: where telephone numbers without a country code are from. */
  readonly country?: string | undefined;
  /** Leaves out fields that campaigns add: `utm_…`, `gclid`, `fbclid`. */
  readonly dropTracking?: boolean | undefined;
  /** Where to go after success: an address of this origin, or any https address. */
  readonly redirect?: string | undefined;
  /** Default true. */
  readonly resetOnSuccess?: boolean | undefined;
  /** Texts by name, and names of types of personal data: `{ "sent": "Danke", "EMAIL_ADDRESS": "E-Mail-Adresse" }`. */
  readonly messages?: (Partial<Messages> & Readonly<Record<string, string>>) | undefined;
  /** Runs when the answers have been collected; `false` stops the submission. What it does with the fields changes nothing of what is sent. */
  readonly onSubmit?: ((detail: SubmitDetail) => unknown) | undefined;
  readonly onSuccess?: ((detail: SuccessDetail) => unknown) | undefined;
  readonly onError?: ((detail: ErrorDetail) => unknown) | undefined;
}

/** Every option that each script knows, by name; a Record, so that the compiler misses none. */
export const optionNames: Readonly<Record<Exclude<keyof Options, "keyLog">, 1>> = {
  form: 1,
  endpoint: 1,
  encryption: 1,
  keyFingerprint: 1,
  piiStrip: 1,
  piiTypes: 1,
  country: 1,
  dropTracking: 1,
  redirect: 1,
  resetOnSuccess: 1,
  messages: 1,
  onSubmit: 1,
  onSuccess: 1,
  onError: 1,
};

/** The accepted fingerprints, or `undefined` where the snippet pins none. One string may hold several, between spaces. */
export function pinsOf({ keyFingerprint }: Options): readonly string[] | undefined {
  return keyFingerprint === undefined ? undefined : [keyFingerprint].flat().join(" ").split(/\s+/);
}

/** The options in `data-sealpost-options`: the same object as for `init`, as JSON. Anything else becomes an error. */
export function parseOptions(json: string | null | undefined): Options {
  try {
    return { ...Object(parseJson(json ?? "{}")) };
  } catch {
    const unreadable: Record<string, unknown> = { json };
    return unreadable;
  }
}
