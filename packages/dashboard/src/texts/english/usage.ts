import { formatBytes, formatNumber } from "../format.ts";

/** Apart from `text`: what loads these words loads later than the first page. */
export const usage = {
  title: "Storage",
  intro:
    "What submissions take, those in the bin included, and for the account also forms, keys and logs. What was deleted counts until its rows are gone, within a minute or so.",
  ofLimit: (bytes: number, max: number) => `${formatBytes(bytes)} of ${formatBytes(max)}`,
  unlimited: (bytes: number) => `${formatBytes(bytes)}, and nothing limits it`,
  account: "Your account",
  fullest: "Fullest forms",
  reserve: "The last fifth is kept for short submissions from visitors who have sent few within the hour.",
  accountNear: (percent: number) => `Your account's storage is ${percent} % full`,
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
