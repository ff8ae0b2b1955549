import { plural } from "../format.ts";

export const settings = {
  title: "Settings",
  intro: "Changes count from the next submission on.",
  name: "Name",
  encryption: "Seal submissions",
  encryptionHint: "Plain submissions are refused. The snippet on your page seals whatever stands here.",
  encryptionOff:
    "Plain submissions will be accepted. Whoever runs this server, or reads its database or backups, can read them.",
  piiStrip: "Strip personal data",
  piiStripHint: "Card numbers, bank accounts, addresses and the like are removed from free text before it is sealed.",
  webhookUrl: "Webhook address",
  webhookUrlHint: "An HTTPS address that is told of every event. Empty for none. Test and log are under Webhook.",
  allowedOrigins: "Pages that may send",
  allowedOriginsHint:
    "One a line: https://www.example.org, or https://*.example.org for all of its subdomains, or * for any page. Browsers on other pages are refused.",
  save: "Save changes",
  saved: "The settings are saved.",
  unchanged: "Nothing is changed.",
  deleteTitle: "Delete this form",
  deleteIntro: (count: number) =>
    `The form, its keys' public halves and ${plural(count, "submission", "submissions")} are deleted at once and for good. Pages that still have the snippet can't send any more.`,
  deleteButton: "Delete form",
  deleteConfirm: (name: string) => `Type “${name}” to confirm`,
  deleteDiffers: "That is not the form's name",
  deleteForever: "Delete for good",
};
