import { pageUrl } from "../instance/page-url.ts";
import type { GatheredCount, SecurityEvent, SecuritySubject } from "./mail.ts";
import { lines, type MailText, writeTime } from "./mail-lines.ts";
import { organizationSecurityWords } from "./organization-security-words.ts";
import { personSecurityWords } from "./person-security-words.ts";
import { type SecurityWords, takeBack } from "./security-words.ts";

const securityWords: Readonly<Record<SecurityEvent, SecurityWords>> = {
  ...personSecurityWords,
  ...organizationSecurityWords,
};

const cannotBeSwitchedOff = ["", "This notice can't be switched off."];

export function writeSecurityMail(subject: SecuritySubject, baseUrl: string): MailText {
  const words = securityWords[subject.kind === "security" ? subject.event : subject.kind];
  const at = subject.kind === "security" ? writeTime(subject.occurredAt) : "";
  const link = pageUrl(baseUrl, words.page, { formId: subject.formId });
  return {
    subject: typeof words.subject === "string" ? words.subject : words.subject(subject),
    link,
    text: lines(words.sentence(at, subject), "", "More about it:", link, "", ...words.remedy, ...cannotBeSwitchedOff),
  };
}

/** One mail for many, so that nobody hides one of them under the rest. */
export function writeGatheredMail(counts: readonly GatheredCount[], baseUrl: string): MailText {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const link = pageUrl(baseUrl, "auditLog");
  return {
    subject: `${total} more changes to your account`,
    link,
    text: lines(
      "So much was changed in your account within a day that it is reported together from here on:",
      "",
      ...counts.map(({ event, count }) => `  ${count} × ${securityWords[event].line}`),
      "",
      "Each of them, with its time:",
      link,
      "",
      ...takeBack,
      ...cannotBeSwitchedOff,
    ),
  };
}
