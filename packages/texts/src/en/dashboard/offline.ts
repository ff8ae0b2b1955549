import { formatNumber } from "../formats.ts";
import { counted, plural } from "../plurals.ts";

/** Texts of `sealpost-opener.html`, the page that opens without a server. */
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
    `${counted(submissions, { one: "submission", other: "submissions" })} of ${counted(forms, { one: "form", other: "forms" })}`,
  unreadableLines: (count: number) =>
    `${counted(count, { one: "line is", other: "lines are" })} not a submission. The file may be cut or damaged.`,
  conflicts: (count: number) =>
    `${counted(count, { one: "submission has", other: "submissions have" })} the id of another one, with other content. The first of each is opened: ask where the file comes from.`,
  keysTitle: "2. Your key",
  keysIntro:
    "The key file of the form, or its recovery sheet. Or an envelope with the form's keys, and in any order what opens it: your personal key (an identity file, or its copy with your passphrase or recovery sheet) or the organization's recovery sheet. All of it stays in this page's memory.",
  keysRead: (count: number) => `${counted(count, { one: "key is", other: "keys are" })} ready`,
  pasteHint:
    "The whole content of a key file, the lines of a recovery sheet, each on a line of its own, or an identity that begins with AGE-SECRET-KEY.",
  identitiesRead: (count: number) =>
    `${counted(count, { one: "personal key or recovery sheet is", other: "personal keys or recovery sheets are" })} ready`,
  identitiesAlone: "Now add the envelope with the form's keys, or the copy of your personal key that the sheet opens.",
  waiting: (count: number) =>
    `${counted(count, { one: "file waits", other: "files wait" })} for what opens ${plural(count, { one: "it", other: "them" })}`,
  pasted: "What was pasted",
  noneOpens: "Nothing that was brought so far opens this.",
  needsReader: "This envelope needs the personal key of one of its readers, or a recovery sheet that is one of them.",
  needsSheet:
    "A copy of a personal key needs the recovery sheet that it was made for. An envelope needs the personal key of its reader.",
  notAKey:
    "This is not a key. Choose a key file (its name begins with sealpost- and ends with .key.json or .age), an envelope, a copy of a personal key or an identity file, or type the lines of a recovery sheet.",
  wrongLines: (count: number, lines: string) =>
    plural(count, {
      one: `Line ${lines} of the recovery sheet is wrong or missing: compare it with the paper`,
      other: `Lines ${lines} of the recovery sheet are wrong or missing: compare them with the paper`,
    }),
  sharesTitle: "More sheets are needed",
  waitingShares: (count: number, places: string, of: number, missing: number) =>
    `Of ${formatNumber(of)} recovery sheets, ${plural(count, { one: `sheet ${places} is`, other: `sheets ${places} are` })} here: ${plural(missing, { one: "one more is needed.", other: `${formatNumber(missing)} more are needed.` })}`,
  refusedShares:
    "These recovery sheets make no key together: one is from another set, or was written down wrong. Bring them again, with others",
  refusedFiles: {
    unknown_sheet:
      "This is the code of a recovery sheet that was not read completely, or of a kind that this page does not know",
    passkey:
      "This copy of a personal key opens with a passkey, which works at the service alone: bring the copy for a recovery sheet or a passphrase",
    too_much_work:
      "To try a passphrase on this file takes minutes and more: neither Sealpost nor age writes such files",
    damaged:
      "This age file is damaged or cut, or it is neither an envelope, a copy of a personal key, nor a file with a passphrase",
  },
  refusedTitle: "Not used",
  refusedPool: {
    malformed: "It is damaged or cut, or neither an envelope nor a copy of a personal key",
    wrong_readers:
      "This envelope was sealed for more or fewer than the readers that it names: none of its keys is used",
    wrong_key: "A private key in this envelope is not the one that it is called: none of its keys is used",
    unknown_extension: "A newer version of this program made this copy of a key: open it with a newer opener",
  },
  envelopes: (count: number) =>
    `${counted(count, { one: "envelope is", other: "envelopes are" })} open, and nobody checked here who wrote ${plural(count, { one: "it", other: "them" })}`,
  envelopeDetails: "What it says of itself, and what that is worth",
  envelopeOf: (form: string, count: number, versions: string) =>
    `${form}, key ${plural(count, { one: "version", other: "versions" })} ${versions}`,
  envelopeSays: (writer: string, time: string, revision: number, readers: string) =>
    `It says that ${writer} wrote it on ${time}, as revision ${revision}, for these readers: ${readers}.`,
  envelopeUnchecked:
    "This page has no list of your organization's members, so the signature was not checked, nor whether there is a newer revision. A made-up envelope opens only what was sealed to a made-up key, and anybody can seal to a public key anyway: what opens was not changed since, but that says nothing about who sent it.",
  form: "Form",
  formOption: (form: string, count: number) => `${form} (${formatNumber(count)})`,
  openAttached: (name: string) => `Choose the sealed file of ${name}`,
  attachedSaved: (name: string) => `Opened, whole and unchanged: ${name}`,
  attachedNewer: (name: string) => `A newer program sealed the file “${name}”. This one can't open it.`,
  attachedNotOpened: "This file could not be opened",
  attachedNotOpenedHint: "It is the file of another submission, or it was changed or cut. Nothing of it was saved.",
  chosen: "Chosen files",
  remove: "Remove",
  removeOf: (name: string) => `Remove: ${name}`,
  removeKeys: "Remove these keys",
  forget: "Forget everything",
  forgetHint: "Files, keys and what was opened",
};
