import type { Widened } from "./widened.ts";

/**
 * The parts of a catalogue, each of which is loaded alone: nobody loads a part that they don't show. English is what the other
 * languages are held to: a text that is missing, that English does not have, or that takes something else, does not compile.
 */
export interface Parts {
  /** The texts of the pages that the dashboard loads first, and how numbers and times are written. */
  readonly dashboardFirst: Widened<typeof import("./en/dashboard/first.ts")>;
  /** The rest of the dashboard's texts. */
  readonly dashboardLater: Widened<typeof import("./en/dashboard/later.ts")>;
  /** Emails. */
  readonly mail: Widened<typeof import("./en/mail/mail.ts")>;
  /** The pages that the service renders itself: answers to forms without a script, links that end emails. */
  readonly served: Widened<typeof import("./en/served/served.ts")>;
  /** Errors of the API, by their codes. */
  readonly errors: Widened<typeof import("./en/errors.ts")>;
}

export type MailTexts = Parts["mail"];
export type ServedTexts = Parts["served"];

export interface Language {
  /** BCP 47, as `lang` and `Intl` take it. */
  readonly tag: string;
  /** In the language itself. */
  readonly name: string;
  readonly direction: "ltr" | "rtl";
  readonly load: { readonly [Part in keyof Parts]: () => Promise<Parts[Part]> };
}
