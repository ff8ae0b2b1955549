import { pageUrl } from "../instance/page-url.ts";
import type { AddressSubject } from "./mail.ts";
import { lines, type MailText } from "./mail-lines.ts";

/** The emails about a move of an account to another address. Each names the other one of the two. */
export function writeAddressMail({ step, token, other }: AddressSubject, baseUrl: string): MailText {
  const link = pageUrl(baseUrl, "address", { secret: token });
  const page = pageUrl(baseUrl, "address");
  const signIn = pageUrl(baseUrl, "signIn");
  switch (step) {
    case "confirm_new":
      return {
        subject: "Confirm your new email address",
        link: page,
        text: lines(
          `The account of ${other} at`,
          baseUrl,
          "is to be moved to this address. If it is yours, sign in as before, and confirm within a day:",
          link,
          "",
          "If you do not know what this is about, you need not do anything.",
        ),
      };
    case "confirm_old":
      return {
        subject: "Confirm that your account moves to another address",
        link: page,
        text: lines(
          "Your account at",
          baseUrl,
          `is to be moved to ${other}. Confirm it within a day, or refuse it:`,
          link,
          "",
          "If it was not you, refuse it there, and change your password: somebody else knows it.",
        ),
      };
    case "taken":
      return {
        subject: "You have an account already",
        link: signIn,
        text: lines(
          `Somebody asked to move the account of ${other} to this address at`,
          baseUrl,
          "This address has an account there already, so nothing was changed.",
          "",
          "If it was you, sign in with the account that you want to use:",
          signIn,
        ),
      };
    case "moved":
      return {
        subject: "Your account has another address",
        link: page,
        text: lines(
          "Your account at",
          baseUrl,
          `was moved to ${other}. Sign in with that address from now on.`,
          "",
          "If it was not you, undo it within seven days:",
          link,
          "",
          "That signs everybody out, revokes the API keys and takes back a second factor that was added since. You then set",
          "a new password by the link at the sign-in page. If members of your organizations were changed from your account,",
          "their other owners get an email and decide; where there is no other owner, the changes are taken back.",
        ),
      };
    default:
      throw new Error(`Unknown step: ${JSON.stringify(step satisfies never)}`);
  }
}
