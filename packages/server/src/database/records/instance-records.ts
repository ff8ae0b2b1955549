import { inHundreds, inThousands, notCounted, type TableRecords } from "../table-record.ts";

const ofInstance = {
  belongsTo: [],
  ends: "never, or when the service replaces it",
  bytes: notCounted("the instance's own"),
  spread: "coordinator",
  exported: { not: "the instance's own, without persons" },
} as const;

/** Tables of the instance itself, and of people who have no account yet. */
export const instanceRecords = {
  instance: { ...ofInstance, copied: inThousands, restored: "unchanged" },
  jwks: { ...ofInstance, copied: inThousands, restored: { unchanged: "keys of the service" } },
  embed_script: { ...ofInstance, copied: inHundreds, restored: "unchanged" },
  instance_invitation: {
    belongsTo: [
      {
        ...{ to: "person", by: "email", key: "email", goes: "last" },
        costsOthers: "nothing: an operator makes another one",
      },
    ],
    ends: "invitations to a person's address with the account; those they made ended",
    bytes: notCounted("made by operators alone"),
    spread: "coordinator",
    copied: inThousands,
    exported: { as: "invitations", without: { token_hash: "a secret", mail_hash: "a secret" } },
    restored: { ends: "invitations that were open", heldBack: "nothing: they go with others" },
  },
  verification: {
    belongsTo: [{ to: "person", by: "value", goes: "last" }],
    ends: "within a day, and with the account",
    bytes: notCounted("links and codes that end within a day, three an hour for each account"),
    spread: "coordinator",
    copied: inThousands,
    exported: {
      not: "the sign-in library's hashes of links, and of codes that were used; they are secrets, and gone within a day",
    },
    restored: { ends: "links; codes that were used stay used" },
  },
  counted_bytes: {
    belongsTo: [],
    ends: "with what is counted",
    bytes: notCounted("folded into one row for each form, organization and person"),
    spread: "coordinator",
    copied: { not: "triggers count again while rows are written" },
    exported: { not: "how much an organization stores" },
    restored: "unchanged",
  },
  rate_limit: {
    belongsTo: [],
    ends: "within minutes",
    bytes: notCounted("gone within minutes"),
    spread: "coordinator",
    copied: { not: "counts of the last minutes" },
    exported: { not: "counts of requests, gone within minutes" },
    restored: "unchanged",
  },
} as const satisfies Partial<TableRecords>;
