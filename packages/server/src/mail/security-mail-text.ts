import type { GatheredCount, SecurityEvent, SecuritySubject } from "./mail.ts";
import { lines, type MailText, writeTime } from "./mail-lines.ts";

interface SecurityWords {
  readonly subject: string | ((subject: SecuritySubject) => string);
  /** The event, for a single security email. */
  readonly sentence: (at: string, subject: SecuritySubject) => string;
  /** The same as a line of a list, after its number. */
  readonly line: string;
  /** The page that says more, below the form's own where there is one. */
  readonly page: string;
  /** Advice if it was not the owner. */
  readonly remedy: readonly string[];
}

const takeBack = [
  "If neither you nor a program of yours did this, change your password and revoke the API keys",
  "when you are asked: that ends all other sessions too.",
];

const securityWords: Readonly<Record<SecurityEvent, SecurityWords>> = {
  api_key_created: {
    subject: "A new API key",
    sentence: (at) => `An API key was made for your account on ${at}.`,
    line: "API keys made",
    page: "/api-keys",
    remedy: [...takeBack, "Revoke the key first if you do not know it."],
  },
  api_key_ends: {
    subject: "An API key ends soon",
    sentence: () => "An API key of your account ends within a week. Programs that use it are refused from then on.",
    line: "API keys that end soon",
    page: "/api-keys",
    remedy: ["If it is still needed, make a new key, give it to the program, and revoke the one that ends."],
  },
  api_keys_revoked: {
    subject: "Your API keys were revoked",
    sentence: (at, subject) => `The server's operator revoked ${countKeys(subject)} on ${at}.`,
    line: "times all API keys revoked",
    page: "/api-keys",
    remedy: ["Programs that used one need a new key."],
  },
  password_changed: {
    subject: "Your password was changed",
    sentence: (at, subject) =>
      `The password of your account was changed on ${at}. That ended all other sessions and revoked ${countKeys(subject)}.`,
    line: "passwords changed",
    page: "/account",
    remedy: ["If it was not you, set a new password by the link at the sign-in page, or ask the server's operator."],
  },
  password_reset: {
    subject: "A new password was set",
    sentence: (at, subject) =>
      `A new password was set for your account on ${at}, by a link that was mailed to you. That ended all sessions and revoked ${countKeys(subject)}.`,
    line: "passwords set by a mailed link",
    page: "/account",
    remedy: ["If it was not you, somebody reads your mail: change its password first, then set a new one here."],
  },
  password_reset_by_operator: {
    subject: "The server's operator set a new password",
    sentence: (at, subject) =>
      `The server's operator set a new password for your account on ${at}. That ended all sessions and revoked ${countKeys(subject)}.`,
    line: "passwords set by the server's operator",
    page: "/account",
    remedy: ["Change the password when you have signed in. If you did not ask for it, ask them why."],
  },
  second_factor_enabled: {
    subject: "The second factor was turned on",
    sentence: (at) => `Signing in to your account needs a code since ${at}. All other sessions have ended.`,
    line: "second factors turned on",
    page: "/account",
    remedy: ["If it was not you, set a new password, and ask the server's operator to remove your second factor."],
  },
  second_factor_disabled: {
    subject: "The second factor was turned off",
    sentence: (at) => `Signing in to your account needs no code since ${at}.`,
    line: "second factors turned off",
    page: "/account",
    remedy: takeBack,
  },
  second_factor_reset: {
    subject: "The second factor was taken away",
    sentence: (at) => `The server's operator removed the second factor of your account on ${at}, and its passkeys.`,
    line: "second factors taken away",
    page: "/account",
    remedy: ["Set it up again when you have signed in. If you did not ask for it, ask them why."],
  },
  backup_codes_replaced: {
    subject: "New backup codes were made",
    sentence: (at) => `New backup codes were made for your account on ${at}. The ones before are worth nothing.`,
    line: "times new backup codes made",
    page: "/account",
    remedy: takeBack,
  },
  identity_linked: {
    subject: "Another sign-in was linked to your account",
    sentence: (at) =>
      `A sign-in at this instance's identity provider was linked to your account on ${at}, and can open it from now on.`,
    line: "sign-ins linked",
    page: "/account",
    remedy: ["If it was not you, unlink it on this page, then change your password."],
  },
  identity_unlinked: {
    subject: "A sign-in was unlinked from your account",
    sentence: (at) => `A sign-in at the identity provider was unlinked from your account on ${at}.`,
    line: "sign-ins unlinked",
    page: "/account",
    remedy: takeBack,
  },
  passkey_added: {
    subject: "A passkey was added to your account",
    sentence: (at) => `A passkey was added to your account on ${at}, and can open it from now on.`,
    line: "passkeys added",
    page: "/account",
    remedy: ["If it was not you, remove it on this page, then change your password."],
  },
  passkey_removed: {
    subject: "A passkey was removed from your account",
    sentence: (at) => `A passkey was removed from your account on ${at}, and opens it no more.`,
    line: "passkeys removed",
    page: "/account",
    remedy: takeBack,
  },
  account_disabled: {
    subject: "Your account was disabled",
    sentence: (at) => `The server's operator disabled your account on ${at}. Nobody can sign in to it.`,
    line: "times the account disabled",
    page: "/sign-in",
    remedy: ["Your forms still accept submissions, and webhooks continue. Ask them why, and what happens next."],
  },
  account_enabled: {
    subject: "Your account was enabled again",
    sentence: (at) => `The server's operator enabled your account again on ${at}.`,
    line: "times the account enabled",
    page: "/sign-in",
    remedy: ["Sign in, and look through your API keys, your webhook addresses and the audit log."],
  },
  account_verified: {
    subject: "Your email address was verified",
    sentence: (at) => `The server's operator vouched for your email address on ${at}.`,
    line: "times the address vouched for",
    page: "/account",
    remedy: ["If you made no account there, ask them to disable it."],
  },
  sessions_ended: {
    subject: "You were signed out everywhere",
    sentence: (at) => `The server's operator ended all sessions of your account on ${at}. API keys stay valid.`,
    line: "times signed out everywhere",
    page: "/sign-in",
    remedy: ["Sign in again with your password. If you did not ask for it, ask them why."],
  },
  plan_changed: {
    subject: "Your organization is on another plan",
    sentence: (at) => `The server's operator put your organization on another plan on ${at}.`,
    line: "changes of the plan",
    page: "/account",
    remedy: ["What is stored stays. A plan bounds how many API keys can be made, and how much can be stored."],
  },
  operator_named: {
    subject: "You are an operator of this server",
    sentence: (at) => `You can use the instance page of this server since ${at}.`,
    line: "times made an operator",
    page: "/instance",
    remedy: [
      "It wants a second factor of you. If you do not know why you are an operator, ask the person who runs the server.",
    ],
  },
  operator_ended: {
    subject: "You are no operator of this server any more",
    sentence: (at) => `You can no longer use the instance page of this server since ${at}. Your account stays.`,
    line: "times no operator any more",
    page: "/account",
    remedy: ["If you do not know why, ask the person who runs the server."],
  },
  account_moved: {
    subject: "Your account has another address",
    sentence: (at) => `The server's operator moved your account to another email address on ${at}.`,
    line: "times the account was moved to another address",
    page: "/account",
    remedy: ["Sign in with the new address. If you did not ask for it, ask them why."],
  },
  account_leaving: {
    subject: "Your account will be deleted",
    sentence: (at) =>
      `On ${at} it was decided to delete your account after 30 days. Everybody was signed out. Your forms and API keys work until then.`,
    line: "times it was decided to delete the account",
    page: "/account",
    remedy: [
      "To keep it, sign in within 30 days.",
      "If it was not you, sign in, keep the account, and change your password.",
    ],
  },
  account_kept: {
    subject: "Your account is kept",
    sentence: (at) => `On ${at} it was decided to keep your account after all. It is not deleted.`,
    line: "times it was decided to keep the account",
    page: "/account",
    remedy: ["If it was not you, change your password."],
  },
  organization_ending: {
    subject: "Your organization will be deleted",
    sentence: (at) =>
      `On ${at} an owner decided to delete your organization after 30 days, with its forms, submissions, API keys and audit log.`,
    line: "times it was decided to delete the organization",
    page: "/members",
    remedy: ["Any owner can keep it until then. If no owner did this, keep it, and change your password."],
  },
  organization_kept: {
    subject: "Your organization is kept",
    sentence: (at) => `On ${at} an owner decided to keep your organization after all. It is not deleted.`,
    line: "times it was decided to keep the organization",
    page: "/members",
    remedy: ["If no owner did this, change your password."],
  },
  webhook_url_changed: {
    // A mail of an older version has no number: it says of each change that the address is another one.
    subject: (subject) =>
      hasNoWebhook(subject) ? "A form's webhook was switched off" : "A form's webhook address was changed",
    sentence: (at, subject) =>
      hasNoWebhook(subject)
        ? `One of your forms sends its events nowhere since ${at}: its webhook address was taken away. Submissions are stored all the same.`
        : `One of your forms sends its events to another address since ${at}.`,
    line: "webhook addresses changed or taken away",
    page: "/webhook",
    remedy: [...takeBack, "Then set the address right."],
  },
  sealing_changed: {
    subject: "A form's encryption was changed",
    sentence: (at) => `Encryption was switched on or off for one of your forms on ${at}.`,
    line: "forms whose encryption was changed",
    page: "/settings",
    remedy: [...takeBack, "Then set the form's encryption right."],
  },
  form_deleted: {
    subject: "A form was deleted",
    sentence: (at) => `A form of yours was deleted with all its submissions on ${at}.`,
    line: "forms deleted",
    page: "/audit-log",
    remedy: takeBack,
  },
  second_factor_rule_changed: {
    subject: "Your organization's second-factor requirement was changed",
    sentence: (at) =>
      `On ${at} an owner changed whether, or from when, your organization requires its members to have a second factor.`,
    line: "changes of the second-factor requirement",
    page: "/members",
    remedy: [...takeBack, "Then restore the requirement."],
  },
  member_invited: {
    subject: "Somebody was invited to your organization",
    sentence: (at) => `A person was invited to your organization as an owner, a manager or an auditor on ${at}.`,
    line: "invitations of owners, managers or auditors",
    page: "/members",
    remedy: [
      "If no owner did this, change your password: that also ends the invitations that you made.",
      "Then remove anyone who has accepted one.",
    ],
  },
  member_joined: {
    subject: "Your organization has a new member",
    sentence: (at) => `A person accepted an invitation to your organization on ${at}.`,
    line: "new members",
    page: "/members",
    remedy: ["If you do not know them, remove them, and change your password."],
  },
  member_changed: {
    subject: "The rights of a member were changed",
    sentence: (at) => `A member of your organization got another role or other forms on ${at}.`,
    line: "changed rights of members",
    page: "/members",
    remedy: ["If no owner did this, change your password and restore the role."],
  },
  member_removed: {
    subject: "A member left or was removed from your organization",
    sentence: (at) =>
      `A member of your organization left or was removed on ${at}. The API keys that they had made were revoked.`,
    line: "members who left or were removed",
    page: "/members",
    remedy: ["If no owner did this, change your password. Programs that used one of their keys need a new one."],
  },
  form_handed_over: {
    subject: "A form went to another organization",
    sentence: (at) => `A form was handed over between two organizations on ${at}; you own one of them.`,
    line: "forms handed over",
    page: "/audit-log",
    remedy: ["If no owner did this, change your password, and hand the form back."],
  },
  form_hold_set: {
    subject: "A form is under legal hold",
    sentence: (at) =>
      `A legal hold on one of your forms was set or changed on ${at}: nobody can delete anything of the form until an owner lifts it.`,
    line: "legal holds set or changed",
    page: "/settings",
    remedy: ["If no owner did this, change your password, and lift the hold."],
  },
  form_hold_lifted: {
    subject: "A form's legal hold was lifted",
    sentence: (at) =>
      `The legal hold on one of your forms was lifted on ${at}. Submissions that are too old, or that were in the bin for too long, are deleted from now on.`,
    line: "legal holds lifted",
    page: "/settings",
    remedy: ["If no owner did this, set the hold again at once, and then change your password."],
  },
  form_hold_over: {
    subject: "The date of a legal hold has come",
    sentence: (at) =>
      `The legal hold on one of your forms was to last until ${at}. It continues until an owner lifts it.`,
    line: "legal holds whose date has come",
    page: "/settings",
    remedy: ["Lift the hold if it is no longer needed, or set a later date."],
  },
  keys_rotated: {
    subject: "A form has a new key pair",
    sentence: (_at, subject) =>
      subject.kind === "keys_rotated"
        ? `One of your forms has a new key pair, version ${subject.keyVersion}. New submissions are sealed to it.`
        : "One of your forms has a new key pair.",
    line: "forms with a new key pair",
    page: "/keys",
    remedy: [...takeBack, "Then rotate the form's keys again with a pair of your own."],
  },
};

/** Whether it was done to nothing: to no address, say. */
function hasNoWebhook(subject: SecuritySubject): boolean {
  return subject.kind === "security" && subject.count === 0;
}

function countKeys(subject: SecuritySubject): string {
  const count = subject.kind === "security" ? (subject.count ?? 0) : 0;
  if (count === 0) return "no API keys";
  return count === 1 ? "one API key" : `${count} API keys`;
}

const cannotBeSwitchedOff = ["", "This notice can't be switched off."];

export function writeSecurityMail(subject: SecuritySubject, baseUrl: string): MailText {
  const words = securityWords[subject.kind === "security" ? subject.event : subject.kind];
  const at = subject.kind === "security" ? writeTime(subject.occurredAt) : "";
  const link = `${baseUrl}${subject.formId === undefined ? "" : `/forms/${subject.formId}`}${words.page}`;
  return {
    subject: typeof words.subject === "string" ? words.subject : words.subject(subject),
    link,
    text: lines(words.sentence(at, subject), "", "More about it:", link, "", ...words.remedy, ...cannotBeSwitchedOff),
  };
}

/** One mail for many, so that nobody hides one of them under the rest. */
export function writeGatheredMail(counts: readonly GatheredCount[], baseUrl: string): MailText {
  const total = counts.reduce((sum, { count }) => sum + count, 0);
  const link = `${baseUrl}/audit-log`;
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
