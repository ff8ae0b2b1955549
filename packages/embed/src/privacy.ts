import type { Fields } from "@sealpost/wire";
import { nameOf } from "./collect.ts";
import type { Options, SuccessDetail } from "./options.ts";
import { controlsOf, documentMember } from "./page.ts";

/** The second script: its file name and integrity are part of this one, so a changed script is refused by the browser. */
export interface PrivacyScript {
  readonly file: string;
  readonly integrity: string;
}

/** Put here by the build; absent in a build made before there was anything to strip with. */
declare const SEALPOST_PRIVACY_SCRIPT: PrivacyScript | undefined;

export interface Stripped {
  readonly fields: Fields;
  readonly stripped: SuccessDetail["stripped"];
}

interface PrivacyModule {
  stripPii(fields: Fields, hints: Hints, options: { types?: readonly string[]; country?: string }): Stripped;
}

interface Hint {
  type?: string;
  autocomplete?: string;
  label?: string;
  pii?: boolean;
}
type Hints = Readonly<Record<string, Hint>>;

/**
 * The fields without personal data. Throws if the second script cannot be had or fails: then nothing may be sent, since
 * there must be no way on which an error lets the unstripped value through.
 */
export async function strip(
  form: HTMLFormElement,
  fields: Fields,
  scriptFolder: string,
  { piiTypes, country }: Options,
): Promise<Stripped> {
  const { stripPii } = await loadPrivacyModule(scriptFolder);
  return stripPii(fields, hintsOf(form), {
    ...(piiTypes === undefined ? {} : { types: piiTypes }),
    ...(country === undefined ? {} : { country }),
  });
}

/** What the page says about its fields, by name. `data-sealpost-pii` decides for all controls of its name. */
function hintsOf(form: HTMLFormElement): Hints {
  const hints: Record<string, Hint> = Object.create(null);
  for (const control of controlsOf(form)) {
    const pii = control.getAttribute("data-sealpost-pii");
    const name = nameOf(control.name);
    const hint: Hint = hints[name] ?? {
      type: control.type,
      autocomplete: control.autocomplete ?? "",
      label: control.labels?.[0]?.textContent?.trim() ?? control.getAttribute("aria-label") ?? "",
    };
    hints[name] = hint;
    if (pii !== null) hint.pii = hint.pii === true || pii !== "false";
  }
  return hints;
}

async function loadPrivacyModule(scriptFolder: string): Promise<PrivacyModule> {
  const script = typeof SEALPOST_PRIVACY_SCRIPT === "undefined" ? undefined : SEALPOST_PRIVACY_SCRIPT;
  if (script === undefined) throw new Error("This build cannot strip personal data");
  if (loadedModule() === undefined) await loadScript(`${scriptFolder}/${script.file}`, script.integrity);
  const module = loadedModule();
  if (module === undefined) throw new Error("The second script did not load");
  return module;
}

function loadedModule(): PrivacyModule | undefined {
  const candidate: unknown = Reflect.get(window, "SealpostPii");
  return typeof candidate === "object" && candidate !== null && typeof Reflect.get(candidate, "stripPii") === "function"
    ? (candidate as PrivacyModule) // only our script makes it, with the integrity checked by the browser
    : undefined;
}

function loadScript(address: string, integrity: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = Document.prototype.createElement.call(document, "script") as HTMLScriptElement; // a "script" is one
    script.onload = () => resolve();
    script.onerror = () => {
      script.remove();
      reject(new Error("The second script did not load"));
    };
    script.crossOrigin = "anonymous";
    script.integrity = integrity;
    // A nonce that let the first script in lets the second one in too.
    script.src = trusted(address);
    documentMember("head").append(script);
  });
}

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL(address: string): string },
  ): { createScriptURL(address: string): string };
}

/** Under `require-trusted-types-for 'script'` an address of a script has to come from a named policy: ours is `sealpost`. */
function trusted(address: string): string {
  const types: TrustedTypes | undefined = Reflect.get(window, "trustedTypes");
  return types === undefined
    ? address
    : types.createPolicy("sealpost", { createScriptURL: (trustedAddress) => trustedAddress }).createScriptURL(address);
}
