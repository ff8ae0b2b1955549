import type { PageName } from "@sealpost/dashboard/pages";
import type { SecuritySubject } from "./mail.ts";

export interface SecurityWords {
  readonly subject: string | ((subject: SecuritySubject) => string);
  /** The event, for a single security email. */
  readonly sentence: (at: string, subject: SecuritySubject) => string;
  /** The same as a line of a list, after its number. */
  readonly line: string;
  /** The page that says more. */
  readonly page: PageName;
  /** Advice if it was not the owner. */
  readonly remedy: readonly string[];
}

export const takeBack = [
  "If neither you nor a program of yours did this, change your password and revoke the API keys",
  "when you are asked: that ends all other sessions too.",
];

/** How many API keys it was done to, in words. */
export function countKeys(subject: SecuritySubject): string {
  const count = subject.kind === "security" ? (subject.count ?? 0) : 0;
  if (count === 0) return "no API keys";
  return count === 1 ? "one API key" : `${count} API keys`;
}
