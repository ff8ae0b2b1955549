import type { Instant } from "./mail.ts";

export interface MailText {
  readonly subject: string;
  readonly text: string;
  /** The page that says more, after a sign-in. */
  readonly link: string;
}

export function writeTime(time: Instant): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

export function lines(...all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
