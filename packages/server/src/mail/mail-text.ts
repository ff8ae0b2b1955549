import type { Instant, MailSubject } from "./mail.ts";

export interface MailText {
  readonly subject: string;
  readonly text: string;
  /** The page that says more, after a sign-in. */
  readonly link: string;
}

/**
 * A mail says that something came, never what. It goes through the hands of others, so it holds nothing that was
 * submitted, no name of a field, and not the form's name either (docs/decisions/0010-content-free-mail.md).
 */
export function writeMail(subject: MailSubject, baseUrl: string): MailText {
  switch (subject.kind) {
    case "submissions": {
      const link = `${baseUrl}/forms/${subject.formId}`;
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
          ...footer(link),
        ),
      };
    }
    case "webhook_failing": {
      const link = `${baseUrl}/forms/${subject.formId}/webhook`;
      return {
        subject: "A webhook has been failing for a day",
        link,
        text: lines(
          `The webhook of one of your forms has accepted nothing since ${describe(subject.since)}.`,
          "Submissions are stored all the same. Each delivery is tried for a little more than a day",
          "and can then be sent again by hand.",
          "",
          "What went wrong:",
          link,
          ...footer(`${baseUrl}/forms/${subject.formId}`),
        ),
      };
    }
    case "keys_rotated": {
      const link = `${baseUrl}/forms/${subject.formId}/keys`;
      return {
        subject: "A form has a new key pair",
        link,
        text: lines(
          `One of your forms has a new key pair, version ${subject.keyVersion}. New submissions are sealed to it.`,
          "",
          "Its keys:",
          link,
          "",
          "If neither you nor a program of yours did this, change your password, revoke the API keys",
          "that you do not know, and rotate the form's keys again with a pair of your own.",
          "",
          "This notice can't be switched off.",
        ),
      };
    }
    case "password_reset": {
      // Behind the #, where browsers send it to nobody and no proxy's log has it.
      const link = `${baseUrl}/reset-password#${subject.token}`;
      return {
        subject: "Set a new password",
        link: `${baseUrl}/reset-password`,
        text: lines(
          "Somebody asked to set a new password for the account with this address at",
          `${baseUrl}`,
          "",
          "If it was you, go on here within an hour:",
          link,
          "",
          "Everybody who is signed in to the account is then signed out.",
          "If it was not you, do nothing: the password stays as it is.",
        ),
      };
    }
    default:
      throw new Error(`Unknown mail: ${JSON.stringify(subject satisfies never)}`);
  }
}

function footer(formLink: string): readonly string[] {
  return ["", "-- ", "Mails like this one are switched off in the form's settings:", `${formLink}/settings`];
}

function describe(time: Instant): string {
  return `${new Date(time).toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

function lines(...all: readonly string[]): string {
  return `${all.join("\n")}\n`;
}
