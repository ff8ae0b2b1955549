import type { Fields } from "@sealpost/wire";
import type { Control } from "./page.ts";

export interface Collected {
  readonly fields: Fields;
  /** The fields as text: two submissions are the same if this is. */
  readonly content: string;
  /** Whether the honeypot `_gotcha` was filled in, which only programs do. */
  readonly trapped: boolean;
  /** The name of the first field with a chosen file. */
  readonly file: string | undefined;
  /** The value of the control field `_next`. */
  readonly next: string | undefined;
}

const captchaTokens = ["cf-turnstile-response", "h-captcha-response", "g-recaptcha-response", "altcha"];

/**
 * What the browser itself would submit, as fields: repeated names and `name[]` become arrays. A leading underscore marks a
 * control field; those and captcha tokens are never part of a submission.
 */
export function collect(form: HTMLFormElement, submitter: Control | null, dropTracking = false): Collected {
  // Without a prototype, so that a field named __proto__ is a field like any other.
  const fields: Record<string, string | string[]> = Object.create(null);
  let trapped = false;
  let file: string | undefined;
  let next: string | undefined;
  for (const [rawName, value] of entriesOf(form, submitter)) {
    const name = nameOf(rawName);
    if (typeof value !== "string") {
      // An empty file input yields a file without a name.
      if (value.name || value.size) file ??= rawName;
    } else if (name === "_gotcha") {
      trapped ||= value !== "";
    } else if (name === "_next") {
      next = value;
    } else if (!(name.startsWith("_") && name !== "__proto__") && !captchaTokens.includes(name)) {
      if (dropTracking && /^(utm_.*|gclid|fbclid)$/.test(name)) continue;
      const before = fields[name] ?? (name === rawName ? undefined : []);
      fields[name] = before === undefined ? value : [before, value].flat();
    }
  }
  return { fields, content: JSON.stringify(fields), trapped, file, next };
}

/** `topics[]` is the field `topics`. */
export function nameOf(rawName: string): string {
  return rawName.replace(/(.)\[\]$/, "$1");
}

/** What a visitor calls the field. */
export function labelOf(control: Control): string {
  return (control.labels?.[0]?.textContent ?? control.getAttribute("aria-label") ?? control.name).trim();
}

function entriesOf(form: HTMLFormElement, submitter: Control | null): FormData {
  const data = new FormData(form, submitter);
  // Browsers before 2023 ignore the second argument.
  if (submitter?.name && submitter.type === "submit" && !data.has(submitter.name))
    data.append(submitter.name, submitter.value);
  return data;
}
