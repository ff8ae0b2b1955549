import { formatNumber } from "../formats.ts";
import { counted, plural } from "../plurals.ts";

export const bin = {
  link: "Bin",
  back: "Back to submissions",
  intro: (days: number) =>
    days === 0
      ? "This form has no bin: what is deleted is deleted for good at once."
      : `What you delete stays here for ${counted(days, { one: "day", other: "days" })} and can be restored. Then it is deleted for good, and your webhook is notified.`,
  heldIntro: "What is here can be restored. While the legal hold lasts nothing of it is deleted.",
  emptyTitle: "The bin is empty",
  emptyIntro: "What you delete comes here first, so that you can restore it.",
  noneLeft: "No submissions here",
  noneLeftIntro: (count: number) =>
    `${counted(count, { one: "submission is", other: "submissions are" })} in the bin and can be restored.`,
  showBin: "Show the bin",
  moved: (count: number) => `${counted(count, { one: "submission", other: "submissions" })} moved to the bin`,
  restoredAndLeft: (restored: number, left: number) =>
    `${counted(restored, { one: "submission", other: "submissions" })} restored. ${plural(left, { one: "Another one was", other: `${formatNumber(left)} others were` })} moved to the bin before`,
  deletedForGood: (count: number) => `${counted(count, { one: "submission", other: "submissions" })} deleted for good`,
  deletedAndLeft: (deleted: number, left: number) =>
    `${counted(deleted, { one: "submission", other: "submissions" })} deleted for good${left === 0 ? "" : `. ${plural(left, { one: "One was", other: `${formatNumber(left)} were` })} not in the bin any more: what was restored meanwhile is kept`}`,
  /** After a deletion that was not answered. */
  deletedOrBefore: (deleted: number, left: number) =>
    `${deleted === 0 && left > 0 ? "" : `${counted(deleted, { one: "submission", other: "submissions" })} deleted for good${left === 0 ? "" : ". "}`}${left === 0 ? "" : `${counted(left, { one: "submission is", other: "submissions are" })} not in the bin any more: deleted for good at your first try, unless restored meanwhile`}`,
  restored: (count: number, left = 0) =>
    `${counted(count, { one: "submission", other: "submissions" })} restored${left === 0 ? "" : `. ${plural(left, { one: "One was", other: `${formatNumber(left)} were` })} not in the bin any more: restored or deleted for good meanwhile`}`,
  /** After a request to restore that was not answered. */
  restoredOrBefore: (count: number, left: number) =>
    `${count === 0 && left > 0 ? "" : `${counted(count, { one: "submission", other: "submissions" })} restored${left === 0 ? "" : ". "}`}${left === 0 ? "" : `${counted(left, { one: "submission is", other: "submissions are" })} not in the bin any more: restored at your first try, unless deleted for good meanwhile`}`,
  goneForGood: (count: number) =>
    `${counted(count, { one: "submission was", other: "submissions were" })} deleted for good meanwhile and can't be restored`,
  undo: "Undo",
  show: "Bin",
  dismiss: "Close this message",
  moveFailed: "Deleting did not work; nothing was deleted that is still in the list.",
  moveUnsure: "They may have been deleted nevertheless. Delete them again to be sure: nothing else goes by it.",
  undoUnsure: "It may have been put back nevertheless. Press Undo again to be sure.",
  undoFailed: "It could not be put back. It is still in the bin.",
  askMove: (count: number) => `Move ${counted(count, { one: "submission", other: "submissions" })} to the bin?`,
  askMoveHint: (days: number) => `You can restore them for ${counted(days, { one: "day", other: "days" })}.`,
  askForGood: (count: number) => `Delete ${counted(count, { one: "submission", other: "submissions" })} for good?`,
  askForGoodHint: "Nobody can restore what is deleted for good.",
  moveToBin: (count: number) => `Move ${formatNumber(count)} to the bin`,
  deleteForGood: (count: number) =>
    plural(count, { one: "Delete for good", other: `Delete ${formatNumber(count)} for good` }),
  typeCount: (count: number) => `Type ${formatNumber(count)} to confirm`,
  typedDiffers: (count: number) => `Type ${formatNumber(count)}, the number of submissions`,
  restore: "Restore",
  restoreMany: (count: number) => `Restore ${formatNumber(count)}`,
  empty: "Empty the bin",
  more: "Show more",
  selectAll: "Select all shown",
  select: (when: string) => `Select the submission of ${when}`,
  count: (count: number) => `${counted(count, { one: "submission", other: "submissions" })} in the bin`,
  selected: (count: number) => `${formatNumber(count)} selected`,
  received: "Received",
  left: (days: number) =>
    days < 1 ? "deleted for good today" : `${counted(days, { one: "day", other: "days" })} left`,
  sealed: "They are sealed. Unlock the form under Submissions to read them here.",
  settingsTitle: "Bin",
  settingsIntro: "How long deleted submissions can be restored.",
  days: "Days in the bin",
  daysHint: "0 to 365. With 0 there is no bin: what you delete is gone at once.",
  daysError: "A whole number from 0 to 365",
  save: "Save",
  saved: (days: number) =>
    days === 0
      ? "There is no bin: what is deleted is gone at once."
      : `What is deleted can be restored for ${counted(days, { one: "day", other: "days" })}.`,
  fewerTitle: "Keep it for fewer days?",
  fewer: (count: number, days: number) =>
    `${counted(count, { one: "submission is", other: "submissions are" })} in the bin. What has been there for longer than ${counted(days, { one: "day", other: "days" })} is deleted for good now.`,
};
