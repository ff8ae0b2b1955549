import type { AuditEntry } from "@sealpost/sdk";
import { formatNumber } from "../format.ts";

type CountName = keyof NonNullable<NonNullable<AuditEntry["details"]>["counts"]>;

export const auditLog = {
  title: "Audit log",
  intro:
    "Who did what to your account, and when. It holds nothing that was submitted, and no addresses of anybody's computer.",
  link: "Open the audit log",
  sectionIntro: "Sign-ins, credentials, forms, exports: who did what, and when.",
  empty: "Nothing was done yet.",
  more: "Show older",
  list: "What was done, newest first",
  actions: {
    "account.created": "Account created",
    "account.verified": "Email address verified",
    "account.disabled": "Account disabled",
    "account.enabled": "Account enabled again",
    "account.sessions_ended": "Signed out everywhere",
    "account.restored": "Restored from a backup",
    "account.plan_changed": "Put on another plan",
    "session.started": "Signed in",
    "session.ended": "Signed out",
    "session.confirmed": "Entered the password again",
    "session.revoked": "Signed out another browser",
    "session.others_revoked": "Signed out all other browsers",
    "sign_in.failed": "A sign-in failed",
    "sign_in.failures_counted": "More sign-ins failed",
    "sign_in.limited": "Too many sign-ins were tried",
    "password.changed": "Password changed",
    "password.limited": "Too many passwords were tried by who was signed in",
    "password.reset": "New password set",
    "password.reset_by_mail": "New password set",
    "second_factor.begun": "Setting up the second factor began",
    "second_factor.enabled": "Second factor turned on",
    "second_factor.disabled": "Second factor turned off",
    "second_factor.reset": "Second factor taken away",
    "second_factor.locked": "Too many wrong codes were entered: none was taken for 15 minutes",
    "second_factor.backup_code_used": "Backup code used",
    "second_factor.backup_codes_replaced": "New backup codes made",
    "api_key.created": "API key created",
    "api_key.revoked": "API key revoked",
    "form.created": "Form created",
    "form.updated": "Form changed",
    "form.deleted": "Form deleted",
    "form.keys_rotated": "Form got a new key pair",
    "webhook_secret.shown": "Webhook secret shown",
    "webhook_secret.rotated": "Webhook secret replaced",
    "mails.turned_on": "Emails turned on",
    "mails.turned_off": "Emails turned off",
    "submissions.read": "Submissions read",
    "submissions.read_counted": "Submissions read within an hour",
    "submissions.exported": "Submissions read or exported",
    "submissions.binned": "Submissions moved to the bin",
    "submissions.restored": "Submissions restored from the bin",
    "submissions.bin_emptied": "Bin emptied for good",
    "submissions.deleted": "Submissions deleted for good",
  },
  /** Advice for somebody who did not do it. */
  warnings: {
    "account.restored":
      "Revoke the API keys that you had revoked since, and change your password if you had changed it since.",
    "sign_in.failures_counted":
      "If it was not you, somebody may be guessing your password. A long one of your own holds; a second factor helps.",
    "sign_in.limited": "Somebody may be guessing your password. A long one of your own holds; a second factor helps.",
    "password.limited":
      "Somebody may have stolen a session of yours and be guessing your password. If it was not you, sign out all other browsers, then change it.",
    "second_factor.locked": "Somebody knows your password. If it was not you, change it now.",
  } as Readonly<Record<string, string>>,
  /** The names of settings in changes; others are shown by the API's name. */
  settings: {
    name: "Name",
    encryption: "Encryption",
    piiStrip: "Strip personal data",
    allowedOrigins: "Websites",
    webhookUrl: "Webhook address",
    retentionDays: "Days until submissions are deleted",
    keyVersion: "Key version",
    permissions: "Permissions",
    country: "Country",
    piiTypes: "Types of personal data",
    submissionBytesMax: "Largest submission in bytes",
    submissionsPerHour: "Submissions an hour",
    binDays: "Days in the bin",
  } as Readonly<Record<string, string>>,
  on: "on",
  off: "off",
  none: "none",
  becomes: "to",
  /** The counts of an entry, each as a part of one line. */
  counts: {
    lists: (count: number) => (count === 1 ? "one list" : `${formatNumber(count)} lists`),
    opened: (count: number) => (count === 1 ? "one opened" : `${formatNumber(count)} opened`),
    exports: (count: number) => (count === 1 ? "one export" : `${formatNumber(count)} exports`),
    submissions: (count: number) =>
      count === 1 ? "one submission in all" : `${formatNumber(count)} submissions in all`,
    passwords: (count: number) => (count === 1 ? "one wrong password" : `${formatNumber(count)} wrong passwords`),
    codes: (count: number) => (count === 1 ? "one wrong code" : `${formatNumber(count)} wrong codes`),
    sessions: (count: number) =>
      count === 1 ? "one browser signed out" : `${formatNumber(count)} browsers signed out`,
    keysRestored: (count: number) =>
      count === 1
        ? "one API key is valid as it was then"
        : `${formatNumber(count)} API keys are valid as they were then`,
    keysRevoked: (count: number) => (count === 1 ? "one API key revoked" : `${formatNumber(count)} API keys revoked`),
  } satisfies Readonly<Record<CountName, (count: number) => string>>,
  backupAt: (time: string) => `All is as it was on ${time}, your password too`,
  submissions: (count: number) => (count === 1 ? "one submission" : `${formatNumber(count)} submissions`),
  /** Where what was done says better who did it than whether they were signed in. */
  actors: {
    "password.reset_by_mail": "by somebody who opened the link that was emailed to you",
    "second_factor.locked": "by somebody who knew your password",
  } as Readonly<Record<string, string>>,
  thisSession: "in this browser",
  otherSession: "in another browser, or here earlier",
  apiKey: "by a program with the API key",
  operator: "by the server's operator",
  nobody: "by somebody who was not signed in",
};
