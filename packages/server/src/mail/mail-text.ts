import type { PageName } from "@sealpost/dashboard/pages";
import type { MailTexts } from "@sealpost/texts";
import { pageUrl } from "../instance/page-url.ts";
import { writeLinkMail } from "./link-mail-text.ts";
import type { MailSubject, MailText, NoticedCause, QuotaSubject } from "./mail.ts";
import { writeGatheredMail, writeSecurityMail } from "./security-mail-text.ts";

/**
 * A mail says that something came, never what. It goes through the hands of others, so it holds nothing that was
 * submitted, no name of a field, and not the form's name either (docs/decisions/0010-content-free-mail.md).
 */
export function writeMail(
  texts: MailTexts,
  subject: MailSubject,
  baseUrl: string,
  /** In a notice: the link that ends notices about its form, or about the storage. */
  unsubscribeUrl: string,
): MailText {
  const { notices } = texts;
  const endNotice = (text: string, about: "form" | "storage"): string =>
    // Mail programs take what follows two hyphens and a space for a signature (RFC 3676, section 4.3).
    `${text}\n\n-- \n${texts.unsubscribe[about]({ link: unsubscribeUrl })}\n`;
  switch (subject.kind) {
    case "submissions": {
      const link = pageUrl(baseUrl, "submissions", subject);
      const { count } = subject;
      const text = endNotice(notices.submissions.text({ count, link }), "form");
      return { subject: notices.submissions.subject({ count }), link, text };
    }
    case "webhook_failing": {
      const link = pageUrl(baseUrl, "webhook", subject);
      const since = texts.formatTime(subject.since);
      const text = endNotice(notices.webhook_failing.text({ link, since }), "form");
      return { subject: notices.webhook_failing.subject, link, text };
    }
    case "key_unproved": {
      const link = pageUrl(baseUrl, "submissions", subject);
      const request = `POST ${baseUrl}/api/forms/${subject.formId}/keys/${subject.keyVersion}/proved`;
      const text = endNotice(notices.key_unproved.text({ link, request }), "form");
      return { subject: notices.key_unproved.subject, link, text };
    }
    case "refusal": {
      const link = pageUrl(baseUrl, refusalPages[subject.cause], subject);
      const { subject: title, seen, remedy } = notices.refusal[subject.cause];
      const words = notices.refusal.text({ seen, remedy, link, since: texts.formatTime(subject.since) });
      return { subject: title, link, text: endNotice(words, "form") };
    }
    case "quota": {
      const link = pageUrl(baseUrl, "submissions", subject);
      const words = notices[`quota_form_${fullness(subject)}`];
      return { subject: words.subject, link, text: endNotice(words.text({ link }), "form") };
    }
    case "account_quota": {
      const isOfLog = subject.room === "log";
      const link = pageUrl(baseUrl, isOfLog ? "auditLog" : "account");
      const words = notices[`quota_${isOfLog ? "log" : "account"}_${fullness(subject)}`];
      return { subject: words.subject, link, text: endNotice(words.text({ link }), "storage") };
    }
    case "invitation":
    case "instance_invitation":
    case "verify_email":
    case "password_reset":
    case "address":
      return writeLinkMail(texts, subject, baseUrl);
    case "keys_rotated":
    case "security":
      return writeSecurityMail(texts, subject, baseUrl);
    case "security_gathered":
      return writeGatheredMail(texts, subject.counts, baseUrl);
    default:
      throw new Error(`Unknown mail: ${JSON.stringify(subject satisfies never)}`);
  }
}

/** The page of the dashboard with what would end each cause. */
const refusalPages = {
  origin: "settings",
  unsealed: "embed",
  too_large: "settings",
  hourly_limit: "settings",
  form_markup: "embed",
  trapped: "embed",
} as const satisfies Readonly<Record<NoticedCause, PageName>>;

const fullness = ({ level }: QuotaSubject) => (level === 100 ? "full" : "nearly_full");
