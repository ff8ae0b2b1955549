import { paragraphs } from "../../paragraphs.ts";

interface WithLink {
  /** The address of the service. */
  readonly service: string;
  /** The page that it is about, with its secret. */
  readonly link: string;
}

interface OfMove extends WithLink {
  /** The other one of the two addresses. */
  readonly other: string;
}

const notExpected = "If you do not know what this is about, you need not do anything.";

/** Emails whose link does something, once. */
export const links = {
  invitation: {
    subject: "You were invited to an organization",
    text: ({ service, link }: WithLink): string =>
      paragraphs(
        `Somebody invited you to the organization that they use at\n${service}`,
        `See which organization it is, and accept. The link works once, for 7 days, and for this address alone:\n${link}`,
        notExpected,
      ),
  },
  instance_invitation: {
    subject: "You were invited to make an account",
    text: ({ service, link }: WithLink): string =>
      paragraphs(
        `Its operator invited you to make an account at\n${service}`,
        `Choose a name and a password. The link works once, for 7 days, and for this address alone:\n${link}`,
        notExpected,
      ),
  },
  verify_email: {
    subject: "Verify your email address",
    text: ({ service, link }: WithLink): string =>
      paragraphs(
        `There is an account with this address at\n${service}`,
        `If you made it, continue here within a day, and sign in if you are asked to:\n${link}`,
        "If you did not, do nothing: without this the account can't make a form.",
      ),
  },
  password_reset: {
    subject: "Set a new password",
    text: ({ service, link }: WithLink): string =>
      paragraphs(
        `Somebody asked to set a new password for the account with this address at\n${service}`,
        `If it was you, continue here within an hour:\n${link}`,
        "Everybody who is signed in to the account is then signed out, and its API keys are revoked unless you say otherwise. If it was not you, do nothing: the password is unchanged.",
      ),
  },
  address_confirm_new: {
    subject: "Confirm your new email address",
    text: ({ service, link, other }: OfMove): string =>
      paragraphs(
        `The account of ${other} at\n${service}\nis to be moved to this address. If it is yours, sign in as before, and confirm within a day:\n${link}`,
        notExpected,
      ),
  },
  address_confirm_old: {
    subject: "Confirm that your account moves to another address",
    text: ({ service, link, other }: OfMove): string =>
      paragraphs(
        `Your account at\n${service}\nis to be moved to ${other}. Confirm it within a day, or refuse it:\n${link}`,
        "If it was not you, refuse it there, and change your password: somebody else knows it.",
      ),
  },
  address_taken: {
    subject: "You have an account already",
    text: ({ service, link, other }: OfMove): string =>
      paragraphs(
        `Somebody asked to move the account of ${other} to this address at\n${service}\nThis address has an account there already, so nothing was changed.`,
        `If it was you, sign in with the account that you want to use:\n${link}`,
      ),
  },
  address_moved: {
    subject: "Your account has another address",
    text: ({ service, link, other }: OfMove): string =>
      paragraphs(
        `Your account at\n${service}\nwas moved to ${other}. Sign in with that address from now on.`,
        `If it was not you, undo it within seven days:\n${link}`,
        "That signs everybody out, revokes the API keys and takes back a second factor that was added since. You then set a new password by the link at the sign-in page. If members of your organizations were changed from your account, their other owners get an email and decide; where there is no other owner, the changes are taken back.",
      ),
  },
} as const;
