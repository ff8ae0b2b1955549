import { inHundreds, inThousands, notCounted, type TableRecords } from "../table-record.ts";

const exported = { not: "belongs to a form, and so to its organization" } as const;
const byForm = { spread: "form", copied: inThousands, exported, restored: "unchanged" } as const;
const large = { ...byForm, copied: inHundreds } as const;
const ofDelivery = { to: "delivery", by: "delivery_id", goes: "at_once" } as const;

/** Tables that grow with submissions: these, and the events and deliveries that tell of them. */
export const submissionRecords = {
  submission: {
    belongsTo: [{ to: "form", by: "form_id", goes: "in_steps", held: "kept" }],
    ends: "when it is deleted, when its days are over, and with the form",
    bytes: { kind: "submissions" },
    ...large,
    restored: { heldBack: "a legal hold of the form, or longer retention" },
  },
  submission_bin: {
    belongsTo: [{ to: "form", by: "form_id", goes: "in_steps", held: "kept" }],
    ends: "when it is restored or deleted for good, when the days of the bin are over, and with the form",
    bytes: { kind: "submissions" },
    ...large,
    restored: { heldBack: "a legal hold of the form, more days of the bin, or a way out of it" },
  },
  submission_tombstone: {
    belongsTo: [{ to: "form", by: "form_id", goes: "in_steps", held: "own_end" }],
    ends: "30 days after the deletion, and with the form",
    bytes: notCounted("one row without content for each deleted submission, removed after the log's retention"),
    ...byForm,
    restored: { heldBack: "nothing: they go with others" },
  },
  submission_purge: {
    belongsTo: [{ to: "form", by: "form_id", goes: "last", held: "kept" }],
    ends: "when the rows that it names are gone, and with the form",
    bytes: notCounted("gone when the rows are"),
    ...byForm,
    restored: { heldBack: "a legal hold of the form" },
  },
  event: {
    belongsTo: [
      { to: "form", by: "form_id", goes: "in_steps", held: "own_end" },
      { to: "submission", by: "submission_id", goes: "emptied" },
    ],
    ends: "after the log's own time, and with the form",
    // The bodies of submissions' events are built from their rows.
    bytes: {
      kind: "rows",
      owner: "form_id",
      columns: ["body", "form_name"],
      unless: "body",
      unasked: "tells of what is done: of 5,000 changes of a person in a day, without content for submissions",
    },
    ...large,
    restored: { heldBack: "more days of the log" },
  },
  delivery: {
    belongsTo: [{ to: "form", by: "form_id", goes: "in_steps", held: "own_end" }],
    ends: "after the log's own time, and with the form",
    bytes: notCounted("100 of an event, without content; removed after the log's retention"),
    ...byForm,
    restored: { heldBack: "more days of the log" },
  },
  delivery_queue: {
    belongsTo: [ofDelivery, { to: "form", by: "form_id", goes: "last", held: "own_end" }],
    ends: "when the delivery ends, and with the form",
    bytes: notCounted("one row for each delivery that waits"),
    ...byForm,
    restored: { unchanged: "the token is that of a process which claimed it" },
  },
  attempt: {
    belongsTo: [ofDelivery],
    ends: "with the delivery",
    bytes: notCounted("six of a delivery, with its address; removed with it"),
    ...byForm,
    restored: { heldBack: "more days of the log" },
  },
} as const satisfies Partial<TableRecords>;
