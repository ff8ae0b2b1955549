import { pageUrl } from "../instance/page-url.ts";
import { writeAddressMail } from "./address-mail-text.ts";
import type { MailSubject, QuotaSubject } from "./mail.ts";
import { lines, type MailText, writeTime } from "./mail-lines.ts";
import { writeGatheredMail, writeSecurityMail } from "./security-mail-text.ts";

/**
 * A mail says that something came, never what. It goes through the hands of others, so it holds nothing that was
 * submitted, no name of a field, and not the form's name either (docs/decisions/0010-content-free-mail.md).
 */
export function writeMail(
  subject: MailSubject,
  baseUrl: string,
  /** In a notice: the link that ends notices about its form, or about all forms. */
  unsubscribeUrl: string,
): MailText {
  switch (subject.kind) {
    case "submissions": {
      const link = pageUrl(baseUrl, "submissions", subject);
      const isOne = subject.count === 1;
      const what = isOne ? "1 new submission" : `${subject.count} new submissions`;
      return {
        subject: what,
        link,
        text: lines(
          `One of your forms has ${what}.`,
          "",
          `Read ${isOne ? "it" : "them"}:`,
          link,
          "",
          "The next mail about this form comes in an hour at the earliest.",
          ...footer("this form", unsubscribeUrl),
        ),
      };
    }
    case "webhook_failing": {
      const link = pageUrl(baseUrl, "webhook", subject);
      return {
        subject: "A webhook has been failing for a day",
        link,
        text: lines(
          `The webhook of one of your forms has accepted nothing since ${writeTime(subject.since)}.`,
          "Submissions are stored all the same. Each delivery is tried for a little more than a day",
          "and can then be sent again by hand.",
          "",
          "What went wrong:",
          link,
          ...footer("this form", unsubscribeUrl),
        ),
      };
    }
    case "key_unproved": {
      const link = pageUrl(baseUrl, "submissions", subject);
      return {
        subject: "Can you open what your form receives?",
        link,
        text: lines(
          "One of your forms has been receiving submissions for a day, and nobody has shown yet",
          "that they can open them: they are sealed to a key that this server never had.",
          "",
          "Open the form once with its private key:",
          link,
          "",
          "If nobody has the key, rotate the form's keys now. What came until then stays sealed.",
          "If a program of yours opens the submissions, it can say so:",
          `POST ${baseUrl}/api/forms/${subject.formId}/keys/${subject.keyVersion}/proved`,
          ...footer("this form", unsubscribeUrl),
        ),
      };
    }
    case "quota":
      return writeQuotaMail(subject, baseUrl, unsubscribeUrl);
    case "invitation": {
      const link = pageUrl(baseUrl, "invitation", { secret: subject.token });
      return {
        subject: "You were invited to an organization",
        link: pageUrl(baseUrl, "invitation"),
        text: lines(
          "Somebody invited you to the organization that they use at",
          `${baseUrl}`,
          "",
          "See which organization it is, and accept. The link works once, for 7 days, and for this address alone:",
          link,
          "",
          "If you do not know what this is about, you need not do anything.",
        ),
      };
    }
    case "instance_invitation": {
      const link = pageUrl(baseUrl, "invitation", { secret: subject.token });
      return {
        subject: "You were invited to make an account",
        link: pageUrl(baseUrl, "invitation"),
        text: lines(
          "Its operator invited you to make an account at",
          `${baseUrl}`,
          "",
          "Choose a name and a password. The link works once, for 7 days, and for this address alone:",
          link,
          "",
          "If you do not know what this is about, you need not do anything.",
        ),
      };
    }
    case "address":
      return writeAddressMail(subject, baseUrl);
    case "verify_email": {
      const link = pageUrl(baseUrl, "verifyEmail", { secret: subject.token });
      return {
        subject: "Verify your email address",
        link: pageUrl(baseUrl, "verifyEmail"),
        text: lines(
          "There is an account with this address at",
          `${baseUrl}`,
          "",
          "If you made it, continue here within a day, and sign in if you are asked to:",
          link,
          "",
          "If you did not, do nothing: without this the account can't make a form.",
        ),
      };
    }
    case "keys_rotated":
    case "security":
      return writeSecurityMail(subject, baseUrl);
    case "security_gathered":
      return writeGatheredMail(subject.counts, baseUrl);
    case "password_reset": {
      const link = pageUrl(baseUrl, "resetPassword", { secret: subject.token });
      return {
        subject: "Set a new password",
        link: pageUrl(baseUrl, "resetPassword"),
        text: lines(
          "Somebody asked to set a new password for the account with this address at",
          `${baseUrl}`,
          "",
          "If it was you, continue here within an hour:",
          link,
          "",
          "Everybody who is signed in to the account is then signed out, and its API keys are revoked unless you say otherwise.",
          "If it was not you, do nothing: the password is unchanged.",
        ),
      };
    }
    default:
      throw new Error(`Unknown mail: ${JSON.stringify(subject satisfies never)}`);
  }
}

function writeQuotaMail({ formId, level }: QuotaSubject, baseUrl: string, unsubscribeUrl: string): MailText {
  const isForm = formId !== undefined;
  const link = pageUrl(baseUrl, isForm ? "submissions" : "account", { formId });
  const what = isForm ? "One of your forms" : "Your account";
  const which = isForm ? "It takes" : "Its forms take";
  const sentences =
    level === 100
      ? [
          `${what} stores all that it may.`,
          `${which} no more submissions. Visitors are notified so; nothing that they typed is lost on their page.`,
        ]
      : [
          `${what} stores four fifths of what it may.`,
          `From here on the room is kept for quiet visitors. ${which} no submissions of more than 64 KiB, and none`,
          "from addresses that have sent ten within the hour.",
        ];
  return {
    subject: `${isForm ? "A form" : "Your account"} is ${level === 100 ? "full" : "nearly full"}`,
    link,
    text: lines(
      ...sentences,
      ...(isForm ? [] : ["Organizations that count for the same person share this room; the page below says which."]),
      "",
      "What is stored stays. Delete what you no longer need, or ask the server's operator for more room:",
      link,
      ...footer(isForm ? "this form" : "any of your forms", unsubscribeUrl),
    ),
  };
}

function footer(what: string, unsubscribeUrl: string): readonly string[] {
  return ["", "-- ", `No more emails about ${what}, without signing in (for 90 days):`, unsubscribeUrl];
}
