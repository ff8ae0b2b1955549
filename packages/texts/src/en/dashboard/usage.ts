import { formatBytes, formatNumber } from "../formats.ts";

/** Apart from `text`: what loads these words loads later than the first page. */
export const usage = {
  title: "Storage",
  intro:
    "What submissions take, those in the bin included, and for the account also forms and keys. What was deleted counts until its rows are gone, within a minute or so.",
  ofLimit: (bytes: number, max: number) => `${formatBytes(bytes)} of ${formatBytes(max)}`,
  unlimited: (bytes: number) => `${formatBytes(bytes)}, and nothing limits it`,
  account: "Your account",
  organization: "This organization",
  fullest: "Fullest forms",
  reserve: "The last fifth is kept for short submissions from visitors who have sent few within the hour.",
  accountNear: (percent: number) => `Your account's storage is ${percent} % full`,
  organizationNear: (percent: number) => `This organization's storage is ${percent} % full`,
  sharedNear: (percent: number) => `The storage that this organization shares with others is ${percent} % full`,
  otherNear: (percent: number) =>
    `Forms and keys have filled ${Math.min(100, percent)} % of the quarter that they may take.`,
  log: "Audit log",
  logMeans:
    "The audit log has a storage of its own and takes none from submissions. Its entries go with their age, or when an owner archives and shortens the log. Once it is full, only owners who are signed in can add or change forms, keys and members, until there is room again or the operator gives more storage. Submissions arrive in any case.",
  logNear: (percent: number) => `The audit log has filled ${percent} % of its storage`,
  countsForOwner: (name: string | null) =>
    name === null
      ? "This organization counts towards the storage of one of its owners."
      : `This organization counts towards the storage of ${name}.`,
  countsForYou: (percent: number) =>
    `This organization shares its storage with your other ones. Together they have filled ${percent} % of it.`,
  together: (percent: number) => `All organizations that do have filled ${percent} % of it together.`,
  leftBy: (name: string | null) =>
    name === null
      ? "Somebody who is no owner any more answered for the storage of this organization."
      : `${name}, who is no owner any more, answered for the storage of this organization.`,
  leftMeans:
    "It has a storage of its own now, which nothing outside of it fills. Your other organizations are not affected.",
  takeOver: "Count it for me",
  takeOverMeans:
    "If you count it for yourself, it shares the storage of your own organizations instead, and no longer counts among those of that person.",
  takenOver: "This organization counts towards your storage from now on.",
  sharing: "Your organizations that share the storage",
  formNear: (name: string, percent: number) => `“${name}” has filled ${percent} % of what a form may store`,
  near: "When it is full, visitors are asked to come back later. Delete what you no longer need, or empty bins.",
  limitsTitle: "Limits",
  limitsIntro: "Submissions beyond these limits are refused, and visitors see a message. Those already accepted stay.",
  bytesMax: "Largest submission (KiB)",
  bytesMaxHint: (min: number) =>
    `The size that is sent. Sealing makes a submission longer, at least about 2 KiB. A whole number from ${min} to 1,024.`,
  bytesMaxError: (min: number) => `Enter a whole number from ${min} to 1,024`,
  perHour: "Submissions within an hour",
  perHourHint: "Leave empty for no limit. Visitors beyond it are asked to wait, also when a stranger has used it up.",
  perHourError: "Enter a whole number from 1 to 1,000,000, or leave it empty",
  save: "Save",
  saved: (bytes: number, perHour: number | null) =>
    `The form takes submissions of up to ${formatBytes(bytes)}, ${perHour === null ? "any number" : `at most ${formatNumber(perHour)}`} within an hour.`,
};
