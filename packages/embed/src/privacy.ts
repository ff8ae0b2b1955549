import type { Fields } from "@sealpost/wire";
import type { Options, SuccessDetail } from "./options.ts";
import { page } from "./page.ts";

/** The second script: its file name and integrity are part of this one, so a changed script is refused by the browser. */
export interface PrivacyScript {
  readonly file: string;
  readonly integrity: string;
}

/** Put here by the build. Without a build there is none, and reading it fails: then nothing is sent either. */
declare const SEALPOST_PRIVACY_SCRIPT: PrivacyScript;

/**
 * The second script's function (privacy-script.ts): gives the fields without personal data, as the page and they were when it was called.
 */
export interface Strip {
  (
    form: HTMLFormElement,
    fields: Fields,
    options: { readonly piiTypes: Options["piiTypes"] | null; readonly country: Options["country"] | null },
  ): Promise<Stripped>;
  /** The visitor's word for a type of personal data. `form` is unclobbered. */
  readonly nameType?: (form: HTMLFormElement, type: string) => string | undefined;
}

export interface Stripped {
  readonly fields: Fields;
  readonly stripped: SuccessDetail["stripped"];
}

/**
 * Where the second script leaves its function. A symbol, so that no element of the page can take its place. Another one when the function
 * takes or gives something else: a page can have the scripts of two services, of two versions.
 */
export const stripMark = Symbol.for("sealpost.strip-in-slices");

let loading: Promise<unknown> | undefined;

/**
 * The second script's function; loaded once, tried again when that failed. Throws if it cannot be had: then nothing may be sent, since there must be no way on which
 * an error lets the unstripped value through.
 */
export async function loadStrip(scriptFolder: string): Promise<Strip> {
  if (!Reflect.has(window, stripMark)) {
    loading ??= loadScript(scriptFolder, SEALPOST_PRIVACY_SCRIPT).finally(() => {
      loading = undefined;
    });
    await loading;
  }
  return Reflect.get(window, stripMark);
}

/** The type in the visitor's words. The API's name, if the page also has an older second script, which came first. */
export function nameType(form: HTMLFormElement, type: string): string {
  const strip: Strip = Reflect.get(window, stripMark);
  return strip.nameType?.(form, type) ?? type;
}

function loadScript(scriptFolder: string, { file, integrity }: PrivacyScript): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const script = page().createElement("script");
    const src = trusted(scriptFolder + file);
    Object.assign(script, { onload: resolve, onerror: reject, crossOrigin: "", integrity, src });
    page().head.append(script);
  });
}

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL: Convert }): { createScriptURL: Convert };
}
type Convert = (address: string) => string;

let policy: { createScriptURL: Convert } | undefined;

/** Under `require-trusted-types-for 'script'` the address of a script has to come from a named policy: ours is `sealpost`. */
function trusted(address: string): string {
  const types: TrustedTypes | undefined = Reflect.get(window, "trustedTypes");
  // Once: a policy of the same name may not be made again.
  policy ??= types?.createPolicy("sealpost", { createScriptURL: (ownAddress) => ownAddress });
  return policy?.createScriptURL(address) ?? address;
}
