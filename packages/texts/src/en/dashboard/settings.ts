import { formatNumber } from "../formats.ts";
import { counted } from "../plurals.ts";

export const settings = {
  forReading: "Your role sees these settings. Owners, managers and developers change them.",
  forDevelopers:
    "Your role changes the settings below, but for sealing, personal data, notices, and how long submissions are kept. Owners and managers do that.",
  intro: "Changes count from the next submission on.",
  name: "Name",
  encryption: "Seal submissions",
  encryptionHint:
    "What arrives unsealed is refused. The snippet on your page seals in any case: to send unsealed, it has to be changed too.",
  encryptionOff:
    "Unsealed submissions will be accepted. The server's operator, and anyone who reads its database or backups, can read them.",
  encryptionOffWebhook: (url: string) => `They will also be sent, unsealed, to ${url}.`,
  piiStrip: "Strip personal data",
  piiStripLink: "What it finds",
  piiStripHint:
    "Email addresses, telephone and card numbers, bank accounts and the like are removed from free text before it is sealed, and fields that ask for a name, an address, an email address or a telephone number are emptied. Visitors are notified which fields were changed.",
  webhookElsewhere:
    "The address of your program that is notified of every event is set in one place, with its test and its log:",
  webhookLink: "Webhook",
  allowedOrigins: "Pages that may send",
  allowedOriginsHint:
    "One a line, or with spaces or commas between them: https://www.example.org, or https://*.example.org for all of its subdomains, or * for any page. Browsers on other pages are refused.",
  wrongOrigins: (wrong: readonly string[], message: string) =>
    `Not right: ${wrong.slice(0, 5).join(", ")}${wrong.length > 5 ? ` and ${wrong.length - 5} more` : ""}. ${message}.`,
  save: "Save changes",
  saved: "The settings are saved.",
  unsaved: "Not saved yet",
  leave: {
    title: "Leave without saving?",
    hint: "What you changed in these settings was not saved.",
    leave: "Leave",
  },
  retentionTitle: "Keep submissions",
  retentionIntro:
    "Old submissions are deleted for good, without going to the bin; a webhook receiver is notified of each. Statistics keep their counts.",
  retentionSwitch: "Delete old submissions",
  retentionSwitchHint: (isOn: boolean) =>
    isOn ? "Those that are older than the days below." : "Off: they are kept until somebody deletes them.",
  retentionDays: "Days to keep a submission",
  retentionDaysError: "A whole number from 1 to 36,500",
  retentionSave: "Save",
  retentionSaved: (days: number | null) =>
    days === null
      ? "Submissions are kept until somebody deletes them."
      : `Submissions are deleted when they are ${counted(days, { one: "day", other: "days" })} old.`,
  retentionConfirmTitle: "Delete old submissions?",
  retentionConfirm: (count: number, days: number) =>
    count === 0
      ? `No submission is older than ${counted(days, { one: "day", other: "days" })} now. From now on each is deleted once it is.`
      : `${counted(count, { one: "submission is", other: "submissions are" })} older than ${counted(days, { one: "day", other: "days" })} and will be deleted now, for good. From now on each is deleted when its time is over.`,
  retentionConfirmBin: (count: number, days: number) =>
    `${counted(count, { one: "submission", other: "submissions" })} in the bin received more than ${counted(days, { one: "day", other: "days" })} ago will be deleted too, for good.`,
  retentionConfirmNone: "Save",
  retentionConfirmDelete: (count: number) => `Delete ${counted(count, { one: "submission", other: "submissions" })}`,
  mailTitle: "Emails",
  mailIntro: "They go to your account's address, and say that something came, never what.",
  mailAccountSwitch: "Mail me about my forms",
  mailAccountSwitchHint:
    "Off: no emails about any form, whatever its own settings say. A rotated key is emailed in any case.",
  mailStorageSwitch: "Mail me about full storage",
  mailStorageSwitchHint: "Once the storage or the audit log is nearly full, and once it is full.",
  mailSwitch: "Mail me about this form",
  mailSwitchHint:
    "New submissions, in one mail an hour at most, and a webhook that fails for a day. A rotated key is mailed in any case.",
  deleteTitle: "Delete this form",
  deleteIntro: (count: number, inBin: number) =>
    `The form, its keys' public halves and ${counted(count, { one: "submission", other: "submissions" })}${inBin > 0 ? `, and ${formatNumber(inBin)} more in the bin,` : ""} are deleted at once and for good. Pages that still have the snippet can't send any more.`,
  deleteButton: "Delete form",
  deleteConfirm: (name: string) => `Type “${name}” to confirm`,
  deleteDiffers: "That is not the form's name",
  deleteForever: "Delete for good",
};
