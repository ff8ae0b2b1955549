import { formatDate } from "../formats.ts";

export const legalHold = {
  title: "Legal hold",
  intro:
    "Keeps everything that may be evidence: while a hold lasts, nobody can delete submissions of this form or the form itself, and retention and the bin delete nothing.",
  guideLink: "What a hold covers",
  button: "Set a legal hold",
  change: "Change reason or date",
  lift: "Lift the hold",
  set: (name: string) => `Set a legal hold on “${name}”?`,
  changeTitle: "Change the legal hold",
  save: "Save",
  reason: "Reason",
  reasonHint: "One line, such as the number of a case. Everybody who sees the form sees it.",
  until: "Remind owners on",
  untilHint: "The hold does not end on that day: an owner lifts it.",
  untilPast: "Choose a day after today",
  effects: [
    "Nobody can delete the form or its submissions, move any to the bin, or empty the bin.",
    "Submissions come in and are delivered as before, and count towards the quota.",
    "All owners are notified by email, and it is in the audit log.",
  ],
  liftTitle: "Lift the legal hold?",
  liftEffects: [
    "Submissions past the form's retention, or past their days in the bin, are deleted for good within minutes.",
    "Everybody with the right role can delete submissions and the form again.",
    "All owners are notified by email, and it is in the audit log.",
  ],
  since: (since: number, by: string | undefined) =>
    by === undefined ? `Since ${formatDate(since)}` : `Since ${formatDate(since)}, set by ${by}`,
  reminder: (until: number, isOver: boolean) =>
    isOver
      ? `It was to last until ${formatDate(until)}. It continues until an owner lifts it.`
      : `Owners are reminded on ${formatDate(until)}.`,
};
