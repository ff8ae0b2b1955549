import { inHundreds, inThousands, notCounted, type TableRecords } from "../table-record.ts";

const exported = { not: "belongs to a form, and so to its organization" } as const;
const onCoordinator = { spread: "coordinator", copied: inThousands, exported, restored: "unchanged" } as const;
const byForm = { spread: "form", copied: inThousands, exported, restored: "unchanged" } as const;
const oneOfForm = notCounted("one row for each form, without text of any length");
/** The last step of the purge takes it, and a hold keeps it. */
const withForm = { belongsTo: [{ to: "form", by: "form_id", goes: "last", held: "kept" }] } as const;

/** Forms, their keys, and what is counted and set for each. */
export const formRecords = {
  form: {
    belongsTo: [{ to: "organization", by: "account_id", goes: "in_steps" }],
    ends: "when it is deleted, and with the organization",
    bytes: {
      kind: "rows",
      owner: "account_id",
      columns: ["name", "name_key", "allowed_origins", "settings"],
    },
    ...onCoordinator,
  },
  form_reservation: {
    belongsTo: [
      {
        ...{ to: "organization", by: "organization_id", goes: "cascade" },
        costsOthers: "nothing: nobody makes a form in an organization that is gone",
      },
    ],
    ends: "when the form is created, and within an hour",
    bytes: notCounted("20 of an account, for an hour"),
    spread: "coordinator",
    copied: inThousands,
    exported: { not: "ids for forms that are about to be made, gone within an hour" },
    restored: { unchanged: "keeps room for the ids of forms, for minutes" },
  },
  form_key: {
    ...withForm,
    ends: "with the form",
    bytes: {
      kind: "rows",
      owner: "form_id",
      columns: ["modulus", "fingerprint", "hybrid_public_key", "hybrid_fingerprint", "made_by"],
    },
    ...onCoordinator,
  },
  envelope: {
    belongsTo: [{ to: "form", by: "form_id", goes: "in_steps", held: "kept" }],
    ends: "30 days after it was removed, earlier revisions 90 days after the next one, but the newest of each writer and those that came with a key, and with the form",
    bytes: { kind: "rows", owner: "form_id", columns: ["file"] },
    spread: "coordinator",
    copied: inHundreds,
    exported,
    restored: {
      unchanged: "the hash is a link of its revisions",
      heldBack: "a legal hold of the form, or its envelopes brought back",
    },
  },
  key_log_entry: {
    ...withForm,
    ends: "with the form",
    bytes: { kind: "rows", owner: "form_id", columns: ["entry"] },
    spread: "coordinator",
    copied: inThousands,
    exported,
    restored: { unchanged: "the hash is a link of a log" },
  },
  // The first that is spread: the others are co-located with it.
  form_count: {
    belongsTo: [{ to: "form", by: "form_id", goes: "at_once", held: "kept" }],
    ends: "with the form; the id in a legal hold stays without a name",
    bytes: notCounted("one row for each form: a legal hold of 500 characters for each of its kinds"),
    ...byForm,
    exported: { not: "belongs to a form; a legal hold names the id of who set it" },
  },
  form_day: {
    ...withForm,
    ends: "with the form",
    bytes: notCounted("one row a day for each form, without text"),
    ...byForm,
  },
  form_retention: { ...withForm, ends: "when it is switched off, and with the form", bytes: oneOfForm, ...byForm },
  form_refusal: {
    ...withForm,
    ends: "with the form",
    bytes: notCounted("a row for each of six causes, without text of any length"),
    ...onCoordinator,
  },
  form_purge: {
    ...withForm,
    ends: "when nothing of the deleted form is left",
    bytes: oneOfForm,
    ...onCoordinator,
  },
  form_bin: {
    ...withForm,
    ends: "when the bin is empty, and with the form",
    bytes: oneOfForm,
    ...byForm,
    restored: { heldBack: "a legal hold of the form, or more days of the bin" },
  },
  webhook: {
    belongsTo: [
      {
        ...{ to: "form", by: "form_id", goes: "at_once", held: "kept" },
        costsOthers: "nothing: the one who chose the address is named for the form's owners",
      },
    ],
    ends: "with the form: without it no delivery that waits is ever sent",
    bytes: notCounted("one row for each form: an address of 2,048 characters and five secrets"),
    spread: "reference",
    copied: inThousands,
    exported,
    restored: { worksAgain: "webhook addresses and secrets" },
  },
} as const satisfies Partial<TableRecords>;
