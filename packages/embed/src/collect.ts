import type { Fields } from "@sealpost/wire";
import { type Control, controlsOf, nameOfControl } from "./page.ts";

export interface Collected {
  readonly fields: Fields;
  /** The fields as text: two submissions are the same if this is. */
  readonly content: string;
  /** Text in the honeypot `_gotcha`, by a program, by a browser, or by a person whose page shows it. */
  readonly trap: string;
  /** The name of the first field with a chosen file. */
  readonly chosen: string | undefined;
  /** The value of the control field `_next`. */
  readonly next: string | undefined;
}

/** Control fields and captcha tokens. `__proto__` is a name that somebody may have given to a field of theirs. */
const notAnswers = /^(_(?!_proto__$).*|(g-recaptcha|h-captcha|cf-turnstile)-response|altcha)$/;
const tracking = /^(fbclid|gclid|utm_.*)$/;

/**
 * What the browser itself would submit, as fields: repeated names and `name[]` become arrays. A leading underscore marks a
 * control field; those and captcha tokens are never part of a submission.
 */
export function collect(form: HTMLFormElement, submitter: Control | null | undefined, dropTracking = false): Collected {
  // Without a prototype, so that a field named __proto__ is a field like any other.
  const fields: Record<string, string | string[]> = Object.create(null);
  let trap = "";
  let chosen: string | undefined;
  let next: string | undefined;
  // A button that a listener took out of the page is no part of what the browser collects, and FormData does not know what to do with it.
  for (const [rawName, value] of new FormData(form, submitter?.form === form ? submitter : null)) {
    const name = nameOf(rawName);
    if (typeof value !== "string") {
      // An empty file input yields a file without a name.
      if (value.name || value.size) chosen ??= rawName;
    } else if (name === "_gotcha") {
      trap ||= value;
    } else if (name === "_next") {
      next = value;
    } else if (!notAnswers.test(name) && !(dropTracking && tracking.test(name))) {
      const before = fields[name];
      if (before === undefined) fields[name] = rawName.length > name.length ? [value] : value;
      else if (typeof before === "string") fields[name] = [before, value];
      else before[before.length] = value;
    }
  }
  return { fields, content: JSON.stringify(fields), trap, next, chosen };
}

/** Types of controls that no visitor fills in; an object has an empty one, a custom element none. */
const noAnswers = /^(|hidden|fieldset|output|button|reset|image|submit)$/;

/**
 * Whether visitors can fill in fields of an unclobbered form, and none of them is ever sent: without a name, with one that begins with an
 * underscore, or disabled. To thank for that would be to thank for what is lost.
 */
export function losesAll(form: HTMLFormElement): boolean {
  const fields = controlsOf(form).filter(
    (control) => !noAnswers.test(control.type) && nameOfControl(control) !== "_gotcha",
  );
  const isSent = (control: Control) => {
    const name = nameOf(nameOfControl(control));
    return name && !notAnswers.test(name) && !control.matches(":disabled");
  };
  return fields.length > 0 && !fields.some(isSent);
}

/** `topics[]` is the field `topics`, and `$sealpost`, a name of ours, `$$sealpost` (SPECIFICATION.md section 4): no two names become alike. */
export function nameOf(rawName: string): string {
  return rawName.replace(/(.)\[\]$|^(\$)(?=\$*sealpost)/g, "$1$2$2");
}
