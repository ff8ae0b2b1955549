import type { Tab } from "../browsers/tab.ts";
import type { Entry } from "./posted-form.ts";

/** The end of the answers, once the visitor is done. */
export type Ending =
  /** The browser posts them; the embed stores the same, or, where `mayRefuse` says why, visibly refuses and stores nothing. */
  | { readonly kind: "sent"; readonly mayRefuse?: string }
  /** The browser sends nothing, and nothing is stored. */
  | { readonly kind: "nothing" }
  /** The page, or its button, names another address: the browser goes there with and without the embed, and nothing is stored. */
  | { readonly kind: "elsewhere"; readonly path: string }
  /** The browser posts them; the embed says visibly that it does not, sends nothing to anybody, and `reason` says why that is right. */
  | { readonly kind: "refused"; readonly reason: string };

/** The parts of a page that differ: without the embed `snippet` is empty, and `form` says where the page's own server is. */
export interface PageParts {
  /** The attributes of the form. */
  readonly form: string;
  /** The snippet of the form. `options`: the second argument of `init`, as source. */
  snippet(options?: string): string;
  /** A script element with a file of an installed package. */
  script(file: string): string;
  /** The address of a file of an installed package. */
  file(path: string): string;
  /** Puts another page on the site, and gives its address. */
  add(html: string): string;
  readonly siteUrl: string;
  /** Empty on the page without the embed. */
  readonly formId: string;
  /** Empty on the page without the embed. */
  readonly serviceUrl: string;
}

export interface PageCase {
  /** Ends the sentence "the opened fields equal the browser's own post …". */
  readonly title: string;
  readonly ending: Ending;
  /** Tried at each change, by `npm run test:embed`: one page of each kind. All others by `npm run test:pages`. */
  readonly isInEachRun?: boolean;
  readonly html: (parts: PageParts) => string;
  /** The visitor's actions: the same on both pages. */
  readonly steps: (tab: Tab) => Promise<unknown>;
  /** Read in the page at the end; the same on both. */
  readonly probe?: (() => unknown) | undefined;
  /**
   * The form as authors mark it: `bare` has no method, so that all that escapes the embed lands in an address; `dialog` is the
   * documented one; `post` keeps the page's own address. `none`: the page's html marks nothing. Default: `bare`.
   */
  readonly markups?: readonly Markup[];
  readonly charset?: string;
  /** Added to the page's address. */
  readonly query?: (parts: PageParts) => string;
  /** Requests that the page makes of its own accord, which hold no answer. */
  readonly ownRequests?: RegExp;
  /** On the page with the embed alone, when all else is done. */
  readonly afterwards?: (tab: Tab) => Promise<unknown>;
  /** Shows that it was sent; default: the form's state. */
  readonly isSent?: () => unknown;
}

export type Markup = "bare" | "dialog" | "post" | "none";

export function markupOf(markup: Markup, formId: string): string {
  const mark = `data-sealpost="${formId}"`;
  if (markup === "dialog") return `${mark} method="dialog"`;
  if (markup === "post") return `${mark} ${nativeForm}`;
  return markup === "none" ? nativeForm : mark;
}

/** Multipart says more than the default: what is a file, and every character. */
export const nativeForm = `action="/receive" method="post" enctype="multipart/form-data"`;

/**
 * The fields that the embed makes of a browser's own post, by its documents. The only differences there may be:
 * names that begin with an underscore are control fields, and captcha tokens are no answers: both are left out;
 * a file input without a file yields nothing; repeated names and `name[]` become one list; a line ends in LF, and not in the CRLF
 * into which a post turns it.
 */
export function fieldsOf(entries: readonly Entry[]): readonly (readonly [string, string | readonly string[]])[] {
  const fields = new Map<string, string | readonly string[]>();
  for (const { name: sent, value: raw, file } of entries) {
    if (file === "" || /^_(?!_proto__$)|^((cf-turnstile|h-captcha|g-recaptcha)-response|altcha)$/.test(sent)) continue;
    const isList = sent.length > 2 && sent.endsWith("[]");
    const name = isList ? sent.slice(0, -2) : sent;
    const value = raw.replaceAll("\r\n", "\n");
    const before = fields.get(name);
    if (before === undefined) fields.set(name, isList ? [value] : value);
    else fields.set(name, [...[before].flat(), value]);
  }
  return [...fields];
}
