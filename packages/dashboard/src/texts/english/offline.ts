import { formatNumber, plural } from "../format.ts";

/** Of `sealpost-opener.html`, the page that opens without a server. */
export const offline = {
  title: "Sealpost opener",
  intro:
    "This page opens sealed submissions on this device. It is a single file, it loads nothing and sends nothing: you can disconnect from the network first.",
  insecure: "This browser does not decrypt on this page. Open the file from your own disk, in a current browser.",
  filesTitle: "1. Sealed submissions",
  filesIntro:
    "An export with sealed submissions, as the command line or the API gives it. Several files at once may be of several forms.",
  choose: "Choose files",
  reading: "Reading the files…",
  noSubmissions:
    "There are no sealed submissions in it. Choose what “sealpost submissions export --format sealed” has written, or the answer of the API's export.",
  unreadableFile: "The file can't be read. It may have been moved or changed since it was chosen: choose it again.",
  found: (submissions: number, forms: number) =>
    `${plural(submissions, "submission", "submissions")} of ${plural(forms, "form", "forms")}`,
  unreadableLines: (count: number) =>
    `${plural(count, "line is", "lines are")} not a submission. The file may be cut or damaged.`,
  conflicts: (count: number) =>
    `${plural(count, "submission has", "submissions have")} the id of another one, with other content. The first of each is opened: ask where the file comes from.`,
  keysTitle: "2. Your key",
  keysIntro:
    "The key file of the form, with its passphrase if it has one, or its recovery sheet. It stays in this page's memory.",
  keysRead: (count: number) => `${plural(count, "key is", "keys are")} ready`,
  form: "Form",
  formOption: (form: string, count: number) => `${form} (${formatNumber(count)})`,
  openAttached: (name: string) => `Choose the sealed file of ${name}`,
  attachedSaved: (name: string) => `Opened, whole and unchanged: ${name}`,
  attachedNotOpened: "This file could not be opened",
  attachedNotOpenedHint: "It is the file of another submission, or it was changed or cut. Nothing of it was saved.",
  forget: "Forget everything",
  forgetHint: "Files, keys and what was opened",
};
