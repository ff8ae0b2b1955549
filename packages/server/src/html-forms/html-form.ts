import type { Fields, FieldValue } from "@sealpost/wire";
import { membersMax } from "../submissions/submission.ts";

/** The body of an ordinary HTML form, without control fields. */
export interface HtmlForm {
  readonly fields: Fields;
  /** The control field `_next`. */
  readonly next: string | undefined;
}

/** Control fields and captcha tokens are never part of a submission. `__proto__` is a name that a field may have. */
const notAnswers = /^(_(?!_proto__$).*|(cf-turnstile|h-captcha|g-recaptcha)-response|altcha)$/;

/** Control fields that mean something here; no visitor types into them. */
const ownControls = new Set(["_next", "_gotcha", "_charset_"]);

/**
 * Why a posted form is not taken: files are refused, not dropped in silence, and what no submission may have ends the parsing. `trapped`:
 * the honeypot `_gotcha` was filled in, by a program, or by a person whose page shows it. `no_answers`: something was typed, and nothing of it
 * would be kept, since all names begin with an underscore.
 */
export type HtmlFormRefusal = "file" | "too_many" | "trapped" | "no_answers";

/** The entries of a posted form as fields, by the same rules as the embed: repeated names and `name[]` become lists. */
export function parseHtmlForm(entries: Iterable<readonly [string, unknown]>): HtmlForm | HtmlFormRefusal {
  const answers = createAnswers();
  let isTrapped = false;
  let next: string | undefined;
  let isLeftOut = false;
  for (const [rawName, value] of entries) {
    // `$sealpost` and the like are names of ours (SPECIFICATION.md section 4).
    const name = rawName.replace(/(.)\[\]$|^(\$)(?=\$*sealpost)/g, "$1$2$2");
    if (typeof value !== "string") {
      // Browsers send an empty file for a file input where nothing was chosen.
      if (!isEmptyFile(value)) return "file";
    } else if (name === "_gotcha") isTrapped ||= value !== "";
    else if (name === "_next") next = value;
    else if (notAnswers.test(name)) isLeftOut ||= name.startsWith("_") && value !== "" && !ownControls.has(name);
    else if (!answers.add(name, value, /.\[\]$/.test(rawName))) return "too_many";
  }
  const fields = answers.toFields();
  if (isTrapped) return "trapped";
  if (isLeftOut && Object.keys(fields).length === 0) return "no_answers";
  return { fields, next };
}

/** Collects the answers, each in the same few steps however many came before it, and no more than a submission may have. */
function createAnswers() {
  const values = new Map<string, string | FieldValue[]>();
  let members = 0;
  return {
    /** False when there are too many. */
    add(name: string, value: string, isList: boolean): boolean {
      const before = values.get(name);
      if (Array.isArray(before)) before.push(value);
      else if (before === undefined && !isList) values.set(name, value);
      else values.set(name, before === undefined ? [value] : [before, value]);
      // As `findFieldsError` counts: a list is a member, and so is each of its values.
      members += before === undefined && isList ? 2 : typeof before === "string" ? 2 : 1;
      return members <= membersMax;
    },
    toFields: (): Fields => Object.fromEntries(values),
  };
}

function isEmptyFile(value: unknown): boolean {
  return (
    typeof value === "object" &&
    value !== null &&
    "size" in value &&
    value.size === 0 &&
    "name" in value &&
    value.name === ""
  );
}

/**
 * Where `_next` may lead, or `undefined` for the thank-you page: a path on the origin of the page that posted, or an
 * absolute address on that origin or on one that the form names. `*` opens no other, or every form would be a redirector.
 */
export function resolveNext(
  next: string | undefined,
  pageOrigin: string | undefined,
  allowedOrigins: readonly string[],
): string | undefined {
  // Anything that browsers read in another way than we do: control characters, spaces, backslashes.
  if (next === undefined || next.length > 2048 || !/^[\x21-\x5b\x5d-\x7e]+$/.test(next)) return undefined;
  const origin = pageOrigin === undefined || !/^https?:\/\//.test(pageOrigin) ? undefined : pageOrigin;
  if (next.startsWith("/"))
    return next.startsWith("//") || origin === undefined ? undefined : new URL(next, origin).href;
  if (!/^https?:\/\/[^/]/i.test(next) || !URL.canParse(next)) return undefined;
  const url = new URL(next);
  const named = allowedOrigins.filter((allowed) => allowed !== "*");
  const isKnown = url.origin === origin || named.some((allowed) => matches(url.origin, allowed));
  return isKnown && url.username === "" && url.password === "" ? url.href : undefined;
}

function matches(origin: string, allowed: string): boolean {
  if (!allowed.startsWith("https://*.")) return origin === allowed;
  return origin.startsWith("https://") && origin.endsWith(allowed.slice("https://*".length));
}
