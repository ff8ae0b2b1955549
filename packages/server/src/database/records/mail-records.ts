import { inThousands, notCounted, type TableRecords } from "../table-record.ts";

const small = { spread: "coordinator", copied: inThousands } as const;
const ofForm = { to: "form", by: "form_id", goes: "last", held: "own_end" } as const;
/** Filed under the id of a form or of an account. */
const byId = [
  { to: "form", by: "id", goes: "last", held: "kept" },
  { to: "organization", by: "id", goes: "last" },
] as const;
const byIdOfAny = [...byId, { to: "person", by: "id", goes: "last" }] as const;
const oneOfEach = notCounted("one row for each form and account");

/** Emails, and the notices and switches that decide about them. */
export const mailRecords = {
  mail: {
    belongsTo: [
      {
        ...ofForm,
        costsOthers: "emails about a form that is gone; the one that says that it was deleted has no form's id",
      },
      // Emails to the person with the organization's id wait under the same one.
      {
        ...{ to: "organization", by: "account_id", goes: "in_steps" },
        costsOthers:
          "one address gets ten more emails that day, from an organization whose deletion was asked for 30 days before",
      },
      {
        ...{ to: "person", by: "account_id", goes: "last" },
        costsOthers: "the same, from an account",
      },
    ],
    ends: "days after it was sent or given up, and with the account or the form",
    bytes: {
      kind: "rows",
      owner: "account_id",
      columns: ["details", "recipient", "failed_to", "refused_to", "failure", "former_owner"],
      unasked: "wiped once it is sent: an address gets a bounded number in a day",
    },
    ...small,
    exported: {
      as: "emails",
      without: {
        id: "a number that nothing else names",
        details: "the contents, which are wiped once it is sent",
        is_personal: "whether it is to the person, or to all owners",
        is_by_others: "which bound it counts for",
        by_id: "the same",
        claim_token: "the process that sends it",
        refused_to: "whether it is tried again at the address",
        reached: "how many addresses of an organization it has reached",
        recipient: "a hash of the address",
        former_owner: "who gets this copy",
      },
    },
    restored: { ends: "emails with links that have ended; those that undo a move of an address stay with it" },
  },
  mail_gathered: {
    belongsTo: [{ to: "mail", by: "mail_id", goes: "cascade" }],
    ends: "with the email",
    bytes: notCounted("one row for each kind of a combined email"),
    ...small,
    exported: { as: "emails" },
    restored: "unchanged",
  },
  form_notice: {
    belongsTo: [{ ...ofForm, held: "kept" }],
    ends: "with the form",
    bytes: notCounted("one row for each form, without text of any length"),
    ...small,
    exported: { not: "belongs to a form, and so to its organization" },
    restored: "unchanged",
  },
  quota_notice: {
    belongsTo: byId,
    ends: "when there is room again, after a notice that counts for nobody any more at that time, and with the form or the organization",
    bytes: notCounted("two rows for each organization, one for each form"),
    ...small,
    exported: { not: "the last notice about a quota" },
    restored: "unchanged",
  },
  email_opt_out: {
    belongsTo: byIdOfAny,
    ends: "when emails are wanted again, and with the form or the account",
    bytes: oneOfEach,
    ...small,
    exported: { as: "account" },
    restored: "unchanged",
  },
  mail_wanted: {
    belongsTo: byIdOfAny,
    ends: "with the form or the account",
    bytes: oneOfEach,
    ...small,
    exported: { as: "account" },
    restored: "unchanged",
  },
  storage_email_switch: {
    belongsTo: [{ to: "organization", by: "organization_id", goes: "cascade" }],
    ends: "with the organization",
    bytes: notCounted("one row for each organization"),
    ...small,
    exported: { as: "account" },
    restored: "unchanged",
  },
} as const satisfies Partial<TableRecords>;
