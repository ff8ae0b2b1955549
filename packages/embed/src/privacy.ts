import type { Fields } from "@sealpost/wire";
import type { Options, SuccessDetail } from "./options.ts";
import { loadSecondScript, type SecondScript } from "./second-script.ts";

/** Put here by the build. Without a build there is none, and reading it fails: then nothing is sent either. */
declare const SEALPOST_PRIVACY_SCRIPT: SecondScript;

/**
 * The second script's function (privacy-script.ts): gives the fields without personal data, as the page and they were when it was called.
 */
export interface Strip extends StripFields {
  readonly listStripped: ListStripped;
}

export type StripFields = (
  form: HTMLFormElement,
  fields: Fields,
  options: { readonly piiTypes: Options["piiTypes"] | null; readonly country: Options["country"] | null },
) => Promise<Stripped>;

/**
 * What was removed, for the visitor: `Email (email address), Message (telephone number, IBAN)`. `form` is unclobbered. `messages`: the page can
 * name the types in its own words.
 */
type ListStripped = (
  form: HTMLFormElement,
  stripped: SuccessDetail["stripped"],
  messages: Readonly<Record<string, string>>,
) => string;

export interface Stripped {
  readonly fields: Fields;
  readonly stripped: SuccessDetail["stripped"];
}

/**
 * Where the second script leaves its function. A symbol, so that no element of the page can take its place. Another one when the function
 * takes or gives something else: a page can have the scripts of two services, of two versions.
 */
export const stripMark = Symbol.for("sealpost.strip");

/**
 * The second script's function. Throws if it cannot be had: then nothing may be sent, since there must be no way on which
 * an error lets the unstripped value through.
 */
export function loadStrip(scriptFolder: string): Promise<Strip> {
  return loadSecondScript(scriptFolder, stripMark, SEALPOST_PRIVACY_SCRIPT);
}

/** See `ListStripped`. The second script's, which is there once it has removed something. */
export const listStripped: ListStripped = (form, stripped, messages) =>
  (window as unknown as Readonly<Record<symbol, Strip>>)[stripMark]?.listStripped(form, stripped, messages) ?? "";
